-- Sign-ins and failed attempts by minute and by hour, for the charts of operators. One instance at a time counts the
-- events in their settled order, so that each is counted once and no sign-in waits for it.
CREATE TABLE sign_in_counts (
  size      text NOT NULL CHECK (size IN ('minute', 'hour')),
  starts_at timestamptz NOT NULL,
  kind      text NOT NULL,
  count     integer NOT NULL,
  PRIMARY KEY (size, starts_at, kind)
);
INSERT INTO event_readers (name) VALUES ('counts');

-- How many accounts and live sessions there were. Counting them takes too long for each look at the page.
CREATE TABLE account_totals (
  counted_at         timestamptz PRIMARY KEY,
  accounts           integer NOT NULL,
  with_second_factor integer NOT NULL,
  sessions           integer NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_counts TO gatehouse_app;
GRANT SELECT, INSERT, DELETE ON account_totals TO gatehouse_app;
