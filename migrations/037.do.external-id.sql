-- The id of the user in another system, such as the application's own or the one that the accounts came from. Its
-- unique index is built after the migrations, without locking the table: see src/database/large-tables.ts.
ALTER TABLE users ADD COLUMN external_id text CHECK (length(external_id) BETWEEN 1 AND 255);
