-- Codes of six digits in mails. Each is for the browser that asked: `asked_by` is the SHA-256 of what only that browser
-- has. A new one takes the place of the one before. Those of browsers that have signed in to the account before, and of
-- sessions, have a row of their own (`browser`), so that strangers do not end them. `code` is an HMAC. It is NULL until
-- the mail is written, and for an address that gets none. `token` is the SHA-256 of the link, for another device.
-- `wrong` counts the wrong tries since `wrong_since` at codes that were not used: see docs/security-decisions.md.
CREATE TABLE mail_codes (
  email       text NOT NULL CHECK (length(email) <= 254),
  purpose     text NOT NULL CHECK (length(purpose) <= 20),
  browser     text NOT NULL DEFAULT '' CHECK (length(browser) <= 64),
  asked_by    bytea NOT NULL UNIQUE,
  user_id     bigint REFERENCES users ON DELETE CASCADE,
  code        bytea,
  token       bytea UNIQUE,
  tries       integer NOT NULL DEFAULT 0,
  wrong       integer NOT NULL DEFAULT 0,
  wrong_since timestamptz NOT NULL DEFAULT now(),
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz,
  PRIMARY KEY (email, purpose, browser)
);
CREATE INDEX mail_codes_user ON mail_codes (user_id);
CREATE INDEX mail_codes_expiry ON mail_codes (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON mail_codes TO gatehouse_app;
