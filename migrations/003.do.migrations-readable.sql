-- `gatehouse doctor` asks, as the service, whether the tables are up to date.
GRANT SELECT ON schema_migrations TO gatehouse_app;
