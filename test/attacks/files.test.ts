import t from 'tap'
import { buildShared } from '../support/build.ts'

const WANTED = [
  '.git/HEAD',
  '.git/config',
  '.env',
  'package.json',
  'package-lock.json',
  'src/config.ts',
  'migrations/021.do.schema.sql',
  'etc/passwd',
  'proc/self/environ',
  'login.eta',
  'mails/html.eta',
]
const STEPS = [
  '',
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '..%5c',
  '..\\',
  '..%252f',
  '....//',
  '..;/',
  '..%c0%af',
  '%00/',
  './/',
]

t.test('path traversal: only the assets of the pages are served (400, 403, 404)', async t => {
  const { app } = await buildShared(t)
  const prefixes = ['/', '/gatehouse/', '/gatehouse/x/', '/login/', '/docs/', '/docs/static/']
  let requests = 0
  for (const url of prefixes.flatMap(prefix =>
    STEPS.flatMap(step =>
      WANTED.flatMap(wanted => [1, 3, 8].map(times => `${prefix}${step.repeat(times)}${wanted}`))
    )
  )) {
    requests++
    const answer = await app.inject({ url: encodeURI(url).replaceAll('%25', '%') })
    if (![400, 403, 404].includes(answer.statusCode)) t.fail(`${url}: ${answer.statusCode}`)
    if (!/^\{"error":/.test(answer.body)) t.fail(`${url}: ${answer.body.slice(0, 80)}`)
  }
  t.comment(`${requests} requests`)
  t.equal((await app.inject('/gatehouse/style.css')).statusCode, 200, 'an asset is served')
  for (const folder of ['/gatehouse', '/gatehouse/', '/gatehouse/texts/']) {
    t.equal((await app.inject(folder)).statusCode, 404, `${folder}: no directory listing`)
  }
})
