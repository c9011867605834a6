-- Applications that registered themselves: `registration` says how, and is NULL for those that operators added.
-- `document_url` is the client_id of one that is described by a metadata document, which was read at `fetched_at`.
-- `allowed_at` is when a user last allowed it; one that no user has allowed is soon removed.
ALTER TABLE applications
  ADD COLUMN registration text
    CHECK (registration IN ('document', 'dynamic'))
    CONSTRAINT never_trusted CHECK (registration IS NULL OR NOT trusted),
  ADD COLUMN document_url text,
  ADD COLUMN fetched_at   timestamptz,
  ADD COLUMN allowed_at   timestamptz;

CREATE INDEX applications_registered ON applications (allowed_at, created_at) WHERE registration IS NOT NULL;
