-- Search for any part of a username, a name or an address. The index over these is built after the migrations, without
-- locking the table: see src/database/large-tables.ts. Our own function, because the extension pg_trgm is missing on
-- some servers, and its trigrams depend on the locale of the database. Restricted, so that no search waits for parallel
-- workers to start.
CREATE FUNCTION trigrams(value text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL RESTRICTED COST 1000
AS $$ SELECT ARRAY(SELECT substr(value, n, 3) FROM generate_series(1, length(value) - 2) n) $$;

-- When each account last signed in, written in the background from the events: no sign-in waits for it, and updates of
-- `users` stay HOT.
CREATE TABLE last_sign_ins (
  user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  at      timestamptz NOT NULL
);
CREATE INDEX last_sign_ins_order ON last_sign_ins (at, user_id);
GRANT SELECT, INSERT, UPDATE ON last_sign_ins TO gatehouse_app;

-- Its reader goes on from where the charts are. What happened before is filled in after the migrations.
INSERT INTO event_readers (name, from_xid, until_xid, last_id, restored_id, catching_up)
SELECT 'last-sign-ins', from_xid, until_xid, last_id, restored_id, catching_up FROM event_readers WHERE name = 'counts';
