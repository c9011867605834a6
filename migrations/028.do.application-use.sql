-- When an application last authenticated at the token endpoint, written at most once a minute; and since when it waits
-- to be confirmed after a restore, until which it is refused.
ALTER TABLE applications ADD COLUMN last_used_at timestamptz, ADD COLUMN suspended_at timestamptz;
