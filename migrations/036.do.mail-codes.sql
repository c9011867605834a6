-- Codes of six digits in mails. Each is for the browser that asked: `asked_by` is the SHA-256 of what only that browser
-- has, so that what others ask for does not end it. `known`: the browser has signed in to the account before, or has a
-- session of it. `code` is an HMAC. It is NULL until the mail is written, and for an address that gets none. `token` is
-- the SHA-256 of the link, for another device.
CREATE TABLE mail_codes (
  asked_by   bytea PRIMARY KEY,
  email      text NOT NULL CHECK (length(email) <= 254),
  purpose    text NOT NULL CHECK (length(purpose) <= 20),
  known      boolean NOT NULL DEFAULT false,
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  code       bytea,
  token      bytea UNIQUE,
  tries      integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX mail_codes_email ON mail_codes (email, purpose);
CREATE INDEX mail_codes_user ON mail_codes (user_id);
CREATE INDEX mail_codes_expiry ON mail_codes (expires_at);

-- Wrong tries at codes that were not used, since the first of them: see docs/security-decisions.md. For the SHA-256 of
-- an address and not for an account, so that a deletion of the account does not give the tries back.
CREATE TABLE mail_code_guesses (
  address bytea NOT NULL,
  known   boolean NOT NULL,
  wrong   integer NOT NULL,
  since   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address, known)
);
CREATE INDEX mail_code_guesses_since ON mail_code_guesses (since);

GRANT SELECT, INSERT, UPDATE, DELETE ON mail_codes, mail_code_guesses TO gatehouse_app;
