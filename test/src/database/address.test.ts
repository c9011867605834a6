import t from 'tap'
import { atServer, serversOf } from '../../../src/database/address.ts'

t.test('the servers of a connection string', async t => {
  for (const [url, servers] of [
    ['postgres://db/gatehouse', [{ host: 'db', port: 5432 }]],
    ['postgres://u:p,%40@db-1:5433,db-2/gatehouse?sslmode=verify-full',
      [{ host: 'db-1', port: 5433 }, { host: 'db-2', port: 5432 }]],
    ['postgresql://u@[::1]:5433,[::2]/gatehouse', [{ host: '::1', port: 5433 }, { host: '::2', port: 5432 }]],
    ['postgres:///gatehouse?host=/run/postgresql', []],
    ['', []],
  ] as const) t.strictSame(serversOf(url), servers, url)
})

t.test('the connection string for one of them keeps everything else', async t => {
  const url = 'postgres://u:p@db-1:5433,db-2/gatehouse?sslmode=verify-full'
  t.equal(atServer(url, { host: 'db-2', port: 5432 }), 'postgres://u:p@db-2:5432/gatehouse?sslmode=verify-full')
  t.equal(atServer('postgres://db-1,db-2', { host: '::1', port: 1 }), 'postgres://[::1]:1')
})
