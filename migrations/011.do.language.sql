-- The language of pages and mails that the user has chosen, or else the one that their browser preferred.
ALTER TABLE users ADD COLUMN language text CHECK (length(language) <= 8);
