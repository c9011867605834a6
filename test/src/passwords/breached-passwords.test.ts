import t from 'tap'
import { createBreachedPasswords } from '../../../src/passwords/breached-passwords.ts'
import { eventually } from '../../support/patience.ts'
import { startRangeServer, TROUBLE } from '../../support/range-server.ts'

const KNOWN = 'tr0mbone-Under-glass!'
/** For a busy machine: the second of the service is over soon there. */
const TIMEOUT = 60_000

t.test('found, not found, and padding with the count 0', async t => {
  const server = await startRangeServer(t, [KNOWN], ['p4dded-Only-here!'])
  const list = createBreachedPasswords(`${server.url}/`, TIMEOUT)
  t.equal(await list.include(KNOWN), true)
  t.equal(await list.include('gl4ss-Harmonica-7!'), false)
  t.equal(await list.include('p4dded-Only-here!'), false)
})

t.test('five characters of the hash are sent, padding is asked for, nothing else is told', async t => {
  const server = await startRangeServer(t, [])
  await createBreachedPasswords(server.url, TIMEOUT).include(KNOWN)
  t.strictSame(server.requests, [{ prefix: server.hashOf(KNOWN).slice(0, 5), padding: true }])
})

t.test('a range is cached, shared by concurrent callers, and the cache is bounded', async t => {
  const server = await startRangeServer(t, [KNOWN])
  const list = createBreachedPasswords(server.url, TIMEOUT)
  t.strictSame(await Promise.all([list.include(KNOWN), list.include(KNOWN)]), [true, true])
  t.equal(await list.include(KNOWN), true)
  t.equal(server.requests.length, 1)

  const others = Array.from({ length: 150 }, (_, index) => `other-${index}`)
  for (const other of others) await list.include(other)
  await list.include(KNOWN)
  t.equal(server.requests.filter(({ prefix }) => prefix === server.requests[0]?.prefix).length, 2, 'it was dropped')
})

for (const [what, instead] of Object.entries(TROUBLE)) {
  t.test(`a list that ${what}: an error, which is not cached`, async t => {
    const server = await startRangeServer(t, [KNOWN])
    const list = createBreachedPasswords(server.url)
    server.misbehave(instead)
    await t.rejects(list.include(KNOWN))
    server.misbehave()
    await eventually(() => list.include(KNOWN).catch(() => false), found => found)
  })
}

t.test('a redirect is not followed', async t => {
  const [server, elsewhere] = [await startRangeServer(t, []), await startRangeServer(t, [KNOWN])]
  server.misbehave((response, prefix) => response.writeHead(302, { location: `${elsewhere.url}/${prefix}` }).end())
  await t.rejects(createBreachedPasswords(server.url).include(KNOWN))
  t.strictSame(elsewhere.requests, [])
})
