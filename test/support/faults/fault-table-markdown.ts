import type { Expectation, Row } from './fault-table.ts'

const HEAD = [
  'Fault',
  'Access checks, pages, `/health/live`',
  'Sign-in, refresh, sign-out, registration, reset',
  'Password check',
  'Provider callback',
  '`/health`',
  '`/health/ready`',
  'Recovery',
]

const cell = ([outcome, seconds]: Expectation) =>
  outcome === 'normal' && seconds <= 2 ? 'normal' : `${outcome}, ≤ ${seconds} s`

/** The table of docs/reliability.md, made from the rows that are tested. */
export function faultTableMarkdown (rows: Array<Omit<Row, 'inject' | 'repair'>>): string {
  const lines = rows.map(({ fault, access, records, limited, callback, health, ready, recovery: [how, seconds] }) => [
    fault,
    cell(access),
    cell(records),
    cell(limited),
    cell(callback),
    health,
    ready ? `not ready: ${ready.replace(/\.$/, '')}` : 'ready',
    `${how}, ≤ ${seconds} s`,
  ])
  return [HEAD, HEAD.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
