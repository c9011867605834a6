-- What applications keep about a user: a JSON object of at most 4 KiB, as it was written. An account without a row has
-- an empty one, of version 0. In a table of its own, so that the rows of `users` stay short.
CREATE TABLE account_data (
  user_id    bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  data       json NOT NULL CHECK (json_typeof(data) = 'object' AND octet_length(data::text) <= 4096),
  version    integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- A row that ends no session, but says that the data of this account has changed. Without `account_id`, so that no end
-- of a session is announced.
ALTER TABLE revocations ADD COLUMN changed_account bigint;

-- By a trigger, so that no way of changing it can forget it: also plain SQL.
CREATE FUNCTION announce_account_data() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.revocations (sid, changed_account) VALUES (gen_random_uuid(), coalesce(NEW.user_id, OLD.user_id));
  PERFORM pg_notify('gatehouse_revocations', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER account_data_changed AFTER INSERT OR UPDATE OR DELETE ON account_data FOR EACH ROW
  EXECUTE FUNCTION announce_account_data();

GRANT SELECT, INSERT, UPDATE, DELETE ON account_data TO gatehouse_app;
