-- Alerts of one kind about an account to one mailbox, within an hour. The first few are sent; the others are held back,
-- and one summary tells how many there were, and when. `message` is the last one of them.
CREATE TABLE mail_alerts (
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  alert      text NOT NULL,
  email      text NOT NULL,
  message    jsonb NOT NULL,
  count      integer NOT NULL DEFAULT 1,
  began_at   timestamptz NOT NULL DEFAULT now(),
  held_from  timestamptz,
  held_until timestamptz,
  PRIMARY KEY (user_id, alert, email)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_alerts TO gatehouse_app;
