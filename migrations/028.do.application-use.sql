-- When an application last authenticated at the token endpoint. Written at most once a minute.
ALTER TABLE applications ADD COLUMN last_used_at timestamptz;
