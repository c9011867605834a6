-- A name of the IANA time zone database, such as Europe/Berlin. The profile of an account is this, `name` and `language`.
ALTER TABLE users ADD COLUMN time_zone text CHECK (length(time_zone) <= 64);
