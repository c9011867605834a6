-- The slowest hash of each scheme that was imported, without its values: a wrong password takes as long as the slowest.
CREATE TABLE imported_hashes (
  scheme      text PRIMARY KEY,
  sample      text NOT NULL CHECK (length(sample) <= 1000),
  work        double precision NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON imported_hashes TO gatehouse_app;
