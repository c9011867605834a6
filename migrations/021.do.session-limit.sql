-- Ends the sessions used longest ago beyond the limit of an account. As a function, because its query sees the sessions
-- of concurrent sign-ins, for which the statement that calls it may have waited. `kept` are not counted.
CREATE FUNCTION end_excess_sessions(owner bigint, kept uuid[], others integer, at_once integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'session_limit'
  WHERE id = ANY (ARRAY(
    SELECT id FROM refresh_tokens
    WHERE user_id = owner AND id <> ALL (kept) AND revoked_at IS NULL AND expires_at > now()
    ORDER BY issued_at DESC OFFSET others LIMIT at_once));
END
$$;
