-- The thumbprint (RFC 7638) of the key that the browser of a session keeps on its device. With it, a refresh needs a
-- signature by that key. Without an index, so that refreshes stay HOT.
ALTER TABLE refresh_tokens ADD COLUMN device_key text;
