-- A settled order of events for readers in the background. Rows commit out of order, so that `id > last` would miss
-- some: a reader takes the rows whose transaction is older than every one that is still open. NULL: an event from
-- before this migration. `salt` makes the digest of a row useless once the row is deleted.
ALTER TABLE auth_events
  ADD COLUMN xid        xid8,
  ADD COLUMN salt       uuid,
  ADD COLUMN session_id uuid,   -- the session that a sign-in opened
  ADD COLUMN account_id bigint; -- instead of user_id, where the account does not exist any more
-- Apart from ADD COLUMN: a default for new rows only, without rewriting the table.
ALTER TABLE auth_events
  ALTER COLUMN xid SET DEFAULT pg_current_xact_id(),
  ALTER COLUMN salt SET DEFAULT gen_random_uuid();
CREATE INDEX auth_events_order ON auth_events (xid) WHERE xid IS NOT NULL;

-- How far each reader has come: it reads the transactions from `from_xid` to before `until_xid` by id, and has read
-- those up to `last_id`. After a restore, transaction numbers may start lower: then it first reads what it had not
-- read up to `restored_id`, and from then on only events after that.
CREATE TABLE event_readers (
  name        text PRIMARY KEY,
  from_xid    xid8 NOT NULL DEFAULT '0',
  until_xid   xid8 NOT NULL DEFAULT '0',
  last_id     bigint NOT NULL DEFAULT 0,
  restored_id bigint NOT NULL DEFAULT 0,
  catching_up boolean NOT NULL DEFAULT false
);
INSERT INTO event_readers (name) VALUES ('webhooks'), ('audit');
GRANT SELECT, UPDATE ON event_readers TO gatehouse_app;

-- Whose session ended, and why.
ALTER TABLE revocations
  ADD COLUMN account_id bigint,
  ADD COLUMN reason     text;
CREATE OR REPLACE FUNCTION revoke_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.revocations (sid, account_id, reason)
  VALUES (OLD.id, OLD.user_id, CASE TG_OP WHEN 'DELETE' THEN 'account_deleted' ELSE NEW.revoked_for END);
  PERFORM pg_notify('gatehouse_revocations', '');
  RETURN NULL;
END
$$;
