-- Seals over the events, in batches. Each has a hash over the digests of its events and the seal before, so that no
-- event can be changed, removed or added later without breaking the chain. The digest of an event stays when it is
-- deleted with its account; the lists go when their events have expired, and the chain stays.
-- A digest is over all columns of an event that are not NULL: a column that is added later must be NULL in old rows.
CREATE TABLE audit_seals (
  number      integer PRIMARY KEY,
  sealed_at   timestamptz NOT NULL,
  oldest      timestamptz NOT NULL,
  newest      timestamptz NOT NULL,
  next_xid    text NOT NULL,
  events      integer NOT NULL,
  events_hash bytea NOT NULL,
  previous    bytea NOT NULL,
  hash        bytea NOT NULL,
  first_id    bigint NOT NULL,
  last_id     bigint NOT NULL,
  event_ids   bigint[],
  account_ids bigint[],
  digests     bytea
);
CREATE INDEX audit_seals_listed ON audit_seals (newest) WHERE event_ids IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (event_ids, account_ids, digests) ON audit_seals TO gatehouse_app;
