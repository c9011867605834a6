/** What a statement must not do while instances of the previous version still run. */
const BREAKING: Array<[problem: string, pattern: RegExp]> = [
  ['drops what the previous version uses', /^DROP (TABLE|VIEW|FUNCTION|TRIGGER|TYPE|SCHEMA)\b/],
  ['drops a column', /^ALTER TABLE .*\bDROP (?!CONSTRAINT\b|NOT NULL\b|DEFAULT\b|IDENTITY\b|EXPRESSION\b)/],
  ['renames', /^ALTER .*\bRENAME\b/],
  ['changes a type', /^ALTER TABLE .*\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/],
  ['requires a column that was optional', /^ALTER TABLE .*\bSET NOT NULL\b/],
  ['drops a default', /^ALTER TABLE .*\bDROP DEFAULT\b/],
  ['takes a right away', /^REVOKE\b/],
]

/** The statements of a migration, in capitals, without comments and the bodies of functions. */
function statementsOf (sql: string): string[] {
  const plain = sql.replace(/--.*$/gm, '').replace(/\$(\w*)\$[^]*?\$\1\$/g, "''").replace(/'[^']*'/g, "''")
  return plain.split(';').map(statement => statement.replace(/\s+/g, ' ').trim().toUpperCase()).filter(Boolean)
}

/** The parts of ALTER TABLE that commas separate, outside of parentheses. */
const actionsOf = (statement: string) =>
  statement.replace(/\([^()]*(\([^()]*\)[^()]*)*\)/g, '()').split(/, /)

/** Rows that the previous version inserts have no value for it. */
const needsValue = (action: string) =>
  /\bADD (COLUMN )?(?!CONSTRAINT\b|CHECK\b|UNIQUE\b|PRIMARY\b|FOREIGN\b)/.test(action) && /\bNOT NULL\b/.test(action) &&
    !/\b(DEFAULT|GENERATED)\b/.test(action)

/** A constraint that replaces one of the same name widens it. */
function addsConstraint (statement: string): boolean {
  if (!statement.startsWith('ALTER TABLE')) return false
  const added = [...statement.matchAll(/\bADD (?:CONSTRAINT (\S+)|CHECK|UNIQUE|PRIMARY|FOREIGN)/g)]
  return added.some(([, name]) => !name || !statement.includes(`DROP CONSTRAINT ${name}`))
}

/** On a table of this migration, it concerns no row of the previous version. */
function addsUniqueIndex (statement: string, created: string[]): boolean {
  const [, table] = statement.match(/^CREATE UNIQUE INDEX .*? ON (\S+)/) ?? []
  return table !== undefined && !created.includes(table)
}

/** What in a migration would break instances of the previous version, one line each. */
export function breakingChanges (sql: string): string[] {
  const statements = statementsOf(sql)
  const created = statements.flatMap(statement => statement.match(/^CREATE TABLE (?:IF NOT EXISTS )?(\S+)/)?.[1] ?? [])
  return statements.flatMap(statement => {
    const problems = BREAKING.filter(([, pattern]) => pattern.test(statement)).map(([problem]) => problem)
    if (actionsOf(statement).some(action => statement.startsWith('ALTER TABLE') && needsValue(action))) {
      problems.push('adds a column that needs a value')
    }
    if (addsConstraint(statement)) problems.push('adds a constraint')
    if (addsUniqueIndex(statement, created)) problems.push('adds a unique index')
    return problems.map(problem => `${problem}: ${statement.slice(0, 80)}`)
  })
}
