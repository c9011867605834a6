import { row } from './table.ts'

const PARTS = {
  log: 'the log',
  counter: 'the counter in Redis',
  tokens: 'one token verified, two signed',
  cookies: 'the cookies',
}

/** What each part of a refresh costs the service, in processor time. */
export function refreshTable (figure: (id: string, label: string) => number): string {
  const timeOf = (program: string) => figure('refresh', `${program}, processor time of a refresh`)
  const [bare, withAll, service] =
    ['bare node:http with pg', 'bare node:http with pg and all of these', 'Gatehouse'].map(timeOf) as
    [number, number, number]
  const ms = (value: number) => `${value.toFixed(2)} ms`
  return [
    row('Part of a refresh', 'Processor time'),
    '|---|---:|',
    row('HTTP and the statement: a bare `node:http` server with `pg`', ms(bare)),
    ...Object.entries(PARTS).map(([part, words]) =>
      row(words, ms(timeOf(`bare node:http with pg and ${part}`) - bare))),
    row('these parts together, in one bare server', ms(withAll)),
    row('Fastify and everything else of the service', ms(service - withAll)),
    row('a refresh', ms(service)),
  ].join('\n')
}
