-- Endpoints of other systems that are told what happened. Secrets are encrypted with a key derived from JWT_SECRET.
CREATE TABLE webhooks (
  id              uuid PRIMARY KEY,
  url             text NOT NULL CHECK (length(url) <= 2000),
  events          text[] NOT NULL,
  secret          text NOT NULL,
  previous_secret text,        -- also signs until `previous_until`, after a rotation
  previous_until  timestamptz,
  notify          text CHECK (length(notify) <= 254),
  created_at      timestamptz NOT NULL DEFAULT now(),
  succeeded_at    timestamptz, -- the last delivery
  paused_at       timestamptz,
  paused_for      text
);

-- What each endpoint is told. `data` has nothing personal: the account is read when the message is sent.
CREATE TABLE webhook_deliveries (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- also the order
  webhook_id       uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  message_id       text NOT NULL,
  type             text NOT NULL,
  account_id       bigint,
  data             jsonb NOT NULL,
  occurred_at      timestamptz NOT NULL,
  status           text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
  attempts         integer NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  due_at           timestamptz NOT NULL DEFAULT now(),
  ended_at         timestamptz,
  answer_status    integer,
  answer           text,
  error            text,
  UNIQUE (webhook_id, message_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_account ON webhook_deliveries (webhook_id, account_id, id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_time ON webhook_deliveries (occurred_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, webhook_deliveries TO gatehouse_app;
