-- Each sign-in calls it, and hardly ever is there a session beyond the limit: then nothing is updated. An update of no
-- rows read the whole table as long as PostgreSQL took it for a small one.
CREATE OR REPLACE FUNCTION end_excess_sessions(owner bigint, kept uuid[], others integer, at_once integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  excess uuid[] := ARRAY(
    SELECT id FROM refresh_tokens
    WHERE user_id = owner AND id <> ALL (kept) AND revoked_at IS NULL AND expires_at > now()
    ORDER BY issued_at DESC OFFSET others LIMIT at_once);
BEGIN
  IF cardinality(excess) > 0 THEN
    UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'session_limit' WHERE id = ANY (excess);
  END IF;
END
$$;
