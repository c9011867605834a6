-- Resources that an application may ask tokens for, each as its URI and after it the scopes, or without them all scopes;
-- the resource that it is itself, whose tokens it may introspect; the public keys with which it authenticates instead of
-- a secret, as JWK; and whether its tokens must be bound to a key (DPoP).
ALTER TABLE applications
  ADD COLUMN resources     text[] NOT NULL DEFAULT '{}',
  ADD COLUMN serves        text,
  ADD COLUMN keys          jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN dpop_required boolean NOT NULL DEFAULT false;
