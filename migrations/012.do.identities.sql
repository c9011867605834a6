-- Users of the providers in PROVIDERS. The ids of providers A and B are columns of `users`.
-- `email`: the address at the provider, which may differ from that of the account.
CREATE TABLE identities (
  provider     text NOT NULL CHECK (length(provider) <= 30),
  subject      text NOT NULL CHECK (length(subject) <= 255),
  issuer       text NOT NULL, -- the same subject at another issuer is another user
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  email        text CHECK (length(email) <= 254),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, subject),
  UNIQUE (user_id, provider)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON identities TO gatehouse_app;
