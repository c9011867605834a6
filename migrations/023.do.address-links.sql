-- A requested change of address ends with the session that asked for it, and with the address and the password of that
-- time. `requested_by` is the SHA-256 of both. Rows of version 0.2 have neither, and their changes are refused.
ALTER TABLE one_time_tokens
  ADD COLUMN session_id   uuid,
  ADD COLUMN requested_by bytea;
