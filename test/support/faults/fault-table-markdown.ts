import type { Expectation, Row } from './fault-table.ts'

const HEAD = [
  'Fault',
  'Access checks, pages, `/health/live`',
  'Sign-in, refresh, sign-out, registration, reset',
  'Password check',
  'Provider callback',
  '`/health`',
  'Heals',
]

const cell = ([gets, seconds]: Expectation) =>
  gets === 'as always' && seconds <= 2 ? 'as always' : `${gets}, ≤ ${seconds} s`

/** The table of docs/reliability.md, from the rows that the tests play. */
export function faultTableMarkdown (rows: Row[]): string {
  const lines = rows.map(({ fault, access, records, limited, callback, health, heals: [how, seconds] }) => [
    fault,
    cell(access),
    cell(records),
    cell(limited),
    cell(callback),
    health,
    `${how}, ≤ ${seconds} s`,
  ])
  return [HEAD, HEAD.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
