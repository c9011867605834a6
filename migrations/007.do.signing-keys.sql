-- Keys that sign tokens for other services. `private_key` is encrypted with a key derived from JWT_SECRET.
CREATE TABLE signing_keys (
  kid         text PRIMARY KEY,
  algorithm   text NOT NULL CHECK (algorithm IN ('EdDSA', 'ES256')),
  public_key  jsonb NOT NULL,
  private_key text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  signs_at    timestamptz NOT NULL,               -- published before, so that other services know it in time
  opened_at   timestamptz NOT NULL DEFAULT now(), -- when an instance could last decrypt it
  retired_at  timestamptz                         -- signs no more; published until its last token has expired
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_keys TO gatehouse_app;
