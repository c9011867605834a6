-- The events under a seal that claim to be older than the seal before. NULL if there are none, which is also what
-- version 0.2 writes. It is part of the hash of the seal, and stays when the lists go.
ALTER TABLE audit_seals ADD COLUMN backdated bigint[];

-- The purge looks for events whose time has expired, but not the seal over them.
CREATE INDEX audit_seals_oldest ON audit_seals (oldest) WHERE event_ids IS NOT NULL;
