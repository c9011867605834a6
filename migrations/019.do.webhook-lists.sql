-- What a change of an operator concerned, if it was not an account: the id of a webhook, or the name of a key.
ALTER TABLE auth_events ADD COLUMN subject text CHECK (length(subject) <= 100);

-- The deliveries of an endpoint, newest first, in pages.
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, id) WHERE status = 'failed';
