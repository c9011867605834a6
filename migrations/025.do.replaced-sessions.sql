-- A new proof of identity replaces the session: `replaced_by` is the session that goes on. `proof_key` is the SHA-256
-- of a value of the browser that sent the proof. With it, and with nothing else, the replaced session leads to the new
-- one, in case the response was lost.
ALTER TABLE refresh_tokens ADD COLUMN replaced_by uuid, ADD COLUMN proof_key bytea;

-- Of a session that goes on under another id, the revocation has no account: instances of version 0.2 then announce
-- no end of a session.
CREATE OR REPLACE FUNCTION revoke_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.revocations (sid, account_id, reason)
  VALUES (
    OLD.id,
    CASE WHEN TG_OP = 'DELETE' OR NEW.replaced_by IS NULL THEN OLD.user_id END,
    CASE TG_OP WHEN 'DELETE' THEN 'account_deleted' ELSE NEW.revoked_for END);
  PERFORM pg_notify('gatehouse_revocations', '');
  RETURN NULL;
END
$$;
