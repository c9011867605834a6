-- Sessions that ended while an access token of theirs may still be valid. Every instance follows this table,
-- and access checks refuse these sessions. `xid` tells which rows a reader may have missed: those of transactions
-- that were under way when it read last. A canary ends no session: its arrival measures the delay.
CREATE TABLE revocations (
  sid        uuid NOT NULL,
  xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  canary     boolean NOT NULL DEFAULT false
);
CREATE INDEX revocations_xid ON revocations (xid);
CREATE INDEX revocations_time ON revocations (created_at);
GRANT SELECT, INSERT, DELETE ON revocations TO gatehouse_app;

-- By triggers, so that no way of ending a session can forget it: also the deletion of an account, and plain SQL.
CREATE FUNCTION revoke_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.revocations (sid) VALUES (OLD.id);
  PERFORM pg_notify('gatehouse_revocations', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER refresh_tokens_ended AFTER UPDATE OF revoked_at ON refresh_tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION revoke_ended_session();
CREATE TRIGGER refresh_tokens_deleted AFTER DELETE ON refresh_tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION revoke_ended_session();
