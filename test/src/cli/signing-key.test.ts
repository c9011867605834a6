import { randomBytes } from 'node:crypto'
import t from 'tap'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { gatehouse } from '../../support/process.ts'

const { app, cli, env, owner } = await setUp()
const ownProcess = (args: string[], settings: Record<string, string>) =>
  gatehouse(['signing-key', ...args], { ...env, ...settings }).ended
const keys = (args: string[]) => cli(['signing-key', ...args])
const keysHere = (args: string[]) => runCommand(app, ['signing-key', ...args])

interface ListedKey { kid: string, state: string, signsAt: string, createdAt: string }
const listed = async (): Promise<ListedKey[]> => JSON.parse((await keysHere(['list', '--json'])).stdout).keys
const published = async () => (await app.inject('/.well-known/jwks.json')).json().keys

t.test('signing-key list: none yet, and the command creates none (0)', async t => {
  t.match(await keys(['list']), { code: 0, stdout: 'There are no keys yet: an instance creates the first.\n' })
  t.equal((await owner.query('SELECT FROM signing_keys')).rowCount, 0)
})

/** Prints what was loaded from the package that only /docs needs. */
const LIST_MODULES = `import { Module } from 'node:module'
process.on('exit', () => console.error(Object.keys(Module._cache).filter(name => name.includes('swagger-ui'))))`

t.test('signing-key list: routes and pages are not loaded, so that a command starts faster', async t => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(LIST_MODULES)}`
  t.match(await ownProcess(['list'], { NODE_OPTIONS }), { code: 0, stderr: '[]\n' })
})

t.test('signing-key rotate: publishes the next key an hour ahead, once (0)', async t => {
  const [{ kid }] = await published()
  t.match(await keys(['rotate']), {
    code: 0,
    stdout: new RegExp(`^current   ${kid}  EdDSA  signs from .* UTC\nnext      \\S{36}  EdDSA  signs from .* UTC\n$`),
  })
  const [, next] = await listed()
  t.equal(Date.parse(next?.signsAt ?? '') - Date.parse(next?.createdAt ?? ''), 3_600_000)
  t.match(await keysHere(['rotate']), { code: 0 })
  t.strictSame((await listed()).map(({ kid, state }) => [kid, state]), [[kid, 'current'], [next?.kid, 'next']])
})

t.test('signing-key rotate: with another JWT_SECRET than the service (1)', async t => {
  const before = await listed()
  const refused = await ownProcess(['rotate'], { JWT_SECRET: randomBytes(64).toString('base64url') })
  t.match(refused, { code: 1, stderr: /JWT_SECRET does not open the signing keys/ })
  t.strictSame(await listed(), before)
})

t.test('signing-key retire: the key is no longer there (0), an unknown one (1)', async t => {
  const [, next] = await listed()
  t.match(await keys(['retire', next?.kid ?? '']), { code: 0, stdout: `Retired ${next?.kid}.\n` })
  t.notOk((await listed()).some(({ kid }) => kid === next?.kid))
  t.match(await keysHere(['retire', next?.kid ?? '']), { code: 1, stderr: /No such key/ })
})
