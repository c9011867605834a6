-- After a restore, keys of the operator API and operators wait to be confirmed. For version 0.2 such a key has ended,
-- and such an account is no operator.

ALTER TABLE api_keys ADD COLUMN suspended_at timestamptz; -- together with ended_at, which confirming it clears

-- Moved from `operators`, and back when they are confirmed.
CREATE TABLE suspended_operators (
  user_id      bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  suspended_at timestamptz NOT NULL DEFAULT now()
);

-- Only the owner of the tables suspends operators.
GRANT SELECT, DELETE ON suspended_operators TO gatehouse_app;
