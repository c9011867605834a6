-- What an operator may do: see docs/operators.md. Those of version 0.2 may do everything, and so may one whom an
-- instance of that version adds while both run: it writes no role, and its command means all rights.
ALTER TABLE operators ADD COLUMN role text NOT NULL DEFAULT 'administrator'
  CHECK (role IN ('viewer', 'support', 'administrator'));
ALTER TABLE suspended_operators ADD COLUMN role text NOT NULL DEFAULT 'administrator'
  CHECK (role IN ('viewer', 'support', 'administrator'));

GRANT UPDATE ON operators TO gatehouse_app;
