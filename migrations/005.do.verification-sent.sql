-- When the last verification link was sent. NULL: the account was never asked to verify its address
-- (EMAIL_VERIFICATION=off), and the purge keeps it.
ALTER TABLE users ADD COLUMN verification_sent_at timestamptz;
-- Of the existing accounts, only those that were certainly asked: the others may be in use.
UPDATE users SET verification_sent_at = greatest(users.created_at, asked.at)
FROM (SELECT user_id, max(created_at) AS at FROM one_time_tokens WHERE kind = 'verify' GROUP BY user_id) AS asked
WHERE asked.user_id = users.id AND email_verified_at IS NULL AND first_signed_in_at IS NULL;
UPDATE users SET verification_sent_at = created_at
WHERE email LIKE '%@stand-in.invalid' AND email_verified_at IS NULL AND verification_sent_at IS NULL;

CREATE INDEX users_verification_sent ON users (verification_sent_at)
  WHERE email_verified_at IS NULL AND verification_sent_at IS NOT NULL;
DROP INDEX users_unverified;
