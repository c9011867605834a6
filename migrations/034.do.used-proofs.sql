-- Names the proof of the device that came with the last refresh. It is good for one refresh: a copy of that request is
-- refused. Without an index, so that refreshes stay HOT.
ALTER TABLE refresh_tokens ADD COLUMN used_proof text;
