-- The endpoint that an application names for back-channel logouts is a webhook without events and without a secret:
-- its messages are signed with the keys of the service. Instances of version 0.2 cannot sign them and leave them to
-- the others.
ALTER TABLE webhooks ADD COLUMN application_id uuid UNIQUE REFERENCES applications ON DELETE CASCADE;

-- The public part of signing keys that are not published any more. It verifies the ID token that an application sends
-- when it signs a user out: that token can be as old as a session.
CREATE TABLE retired_signing_keys (
  kid        text PRIMARY KEY,
  public_key jsonb NOT NULL,
  keep_until timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON retired_signing_keys TO gatehouse_app;
