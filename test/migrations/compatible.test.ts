// During an upgrade, instances of the previous version run on the new tables. A migration that breaks them is listed
// here and described in docs/operating.md, with what an operator has to do.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { breakingChanges } from '../support/migrations/breaking-changes.ts'

/** The first migration after version 0.2. None must break the previous version, unless it is an exception. */
const SINCE = 22
const EXCEPTIONS: number[] = []

const migrations = readdirSync('migrations').map(file => ({
  number: Number(file.split('.')[0]),
  file,
  changes: breakingChanges(readFileSync(`migrations/${file}`, 'utf8')),
}))

t.test('migrations: none breaks the previous version, except those in docs/operating.md', async t => {
  const docs = readFileSync('docs/operating.md', 'utf8')
  for (const { number, file, changes } of migrations.filter(({ number }) => number >= SINCE)) {
    if (EXCEPTIONS.includes(number)) t.match(docs, `**Migration ${number}**`)
    else t.strictSame(changes, [], file)
  }
})

t.test('breaking changes are found', async t => {
  for (const [sql, problem] of [
    ['DROP TABLE users;', 'drops what the previous version uses'],
    ['ALTER TABLE users DROP COLUMN name;', 'drops a column'],
    ['ALTER TABLE users ADD COLUMN a text, DROP name', 'drops a column'],
    ['ALTER TABLE users\n  RENAME name TO full_name;', 'renames'],
    ['ALTER INDEX users_email RENAME TO users_address', 'renames'],
    ['ALTER TABLE users ALTER COLUMN name TYPE varchar(10)', 'changes a type'],
    ['alter table users alter name set data type text', 'changes a type'],
    ['ALTER TABLE users ALTER name SET NOT NULL', 'requires a column that was optional'],
    ['ALTER TABLE users ALTER name DROP DEFAULT', 'drops a default'],
    ['ALTER TABLE users ADD COLUMN age integer NOT NULL', 'adds a column that needs a value'],
    ['ALTER TABLE users ADD COLUMN a int DEFAULT 1, ADD age integer NOT NULL', 'adds a column that needs a value'],
    ['ALTER TABLE users ADD CONSTRAINT short CHECK (length(name) < 9)', 'adds a constraint'],
    ['CREATE UNIQUE INDEX users_name ON users (name)', 'adds a unique index'],
    ['REVOKE DELETE ON users FROM gatehouse_app', 'takes a right away'],
  ] as const) t.match(breakingChanges(sql).join(), problem, sql)
  const schema = migrations.find(({ number }) => number < SINCE)
  t.match(schema?.changes.join(), 'takes a right away', 'in the file of version 0.2, which may do so')
})

t.test('other changes are not', async t => {
  for (const sql of [
    '-- DROP TABLE users;\nSELECT 1',
    "UPDATE users SET name = 'RENAME; DROP TABLE users'",
    'ALTER TABLE users ADD COLUMN language text',
    'ALTER TABLE users ADD COLUMN n integer NOT NULL DEFAULT 0, ADD COLUMN c text CHECK (length(c) < 9)',
    'ALTER TABLE users ALTER name DROP NOT NULL',
    'ALTER TABLE a DROP CONSTRAINT kinds, ADD CONSTRAINT kinds CHECK (kind IN (1, 2))',
    'CREATE TABLE more (id bigint NOT NULL, name text UNIQUE); CREATE UNIQUE INDEX more_name ON more (lower(name))',
    'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE users $$',
    'CREATE INDEX users_name ON users (name)',
    'GRANT SELECT ON users TO gatehouse_app',
  ]) t.strictSame(breakingChanges(sql), [], sql)
})
