-- Accounts that may sign in on the listener for operators.
CREATE TABLE operators (
  user_id  bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT now()
);

-- Their sessions there. `digest` is the SHA-256 of the cookie. A change of the factors ends them, and so does
-- whatever ends all sessions of the account.
CREATE TABLE operator_sessions (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  digest          bytea NOT NULL UNIQUE,
  user_id         bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  factors_version integer NOT NULL,
  proved_at       timestamptz NOT NULL DEFAULT now(),
  last_used_at    timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz NOT NULL
);
CREATE INDEX operator_sessions_user ON operator_sessions (user_id);

GRANT SELECT, INSERT, DELETE ON operators TO gatehouse_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON operator_sessions TO gatehouse_app;
