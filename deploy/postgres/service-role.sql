-- Runs once, when the database is created. Creates the role of the service; `gatehouse migrate` grants its privileges.
\getenv password GATEHOUSE_DB_PASSWORD
CREATE ROLE gatehouse LOGIN PASSWORD :'password';
