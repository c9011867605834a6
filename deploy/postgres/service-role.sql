-- Runs once, when the database is made: the role that the service signs in with. `gatehouse migrate` gives it its rights.
\getenv password GATEHOUSE_DB_PASSWORD
CREATE ROLE gatehouse LOGIN PASSWORD :'password';
