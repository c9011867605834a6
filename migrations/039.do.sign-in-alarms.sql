-- Sign-ins from unknown browsers, of which the owners are told. Written in the statement that opens the session, which
-- so needs no transaction, and taken from here in batches.
CREATE TABLE sign_in_alarms (
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  ip         inet,
  user_agent text,
  at         timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_alarms TO gatehouse_app;
