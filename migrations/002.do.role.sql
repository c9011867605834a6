-- The service signs in as a member of gatehouse_app: it reads and writes its records, reads content,
-- and changes no table. Roles belong to the whole server, so another database may have made it already.
DO $$
BEGIN
  CREATE ROLE gatehouse_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;

-- By default everybody may make temporary tables, and before PostgreSQL 15 tables in public.
DO $$
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

GRANT USAGE ON SCHEMA public TO gatehouse_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON users, refresh_tokens, one_time_tokens TO gatehouse_app;
GRANT SELECT, INSERT, DELETE ON auth_events TO gatehouse_app;
GRANT SELECT ON content TO gatehouse_app;
