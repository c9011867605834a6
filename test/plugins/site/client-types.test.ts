import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildShared } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** What an application does with the client. The comments mark the lines that must not compile. */
const APPLICATION = `
import {
  asJson, createClient, expectOk, GatehouseError, type GatehouseClient, type User,
} from '/gatehouse/client.js'

const gatehouse: GatehouseClient = createClient()
export const user: User | null = await gatehouse.me()
const result = await gatehouse.signIn('ada', 'secret')
export const { email }: { email: string } = 'secondFactor' in result ? await gatehouse.signInWithCode('123456') : result
export const fresh: boolean = gatehouse.isFresh()
export const renewed: User | null = await gatehouse.refresh()
export const order: Response = await expectOk(gatehouse.fetch('/api/orders', asJson('POST', { id: 1 })))
gatehouse.onSignOut(() => {})
await gatehouse.signOut()
try { await gatehouse.me() } catch (error) {
  if (error instanceof GatehouseError) console.log(error.status, error.errors.length, error.retryAfter ?? 0)
}
// @ts-expect-error The user may be null.
export const id: string = (await gatehouse.me()).id
// @ts-expect-error A password is required.
await gatehouse.signIn('ada')
// @ts-expect-error There is no such method.
gatehouse.token()
`

/** The settings of docs/browser-client.md, in those of an ordinary application. */
function settingsOfThePage () {
  const [, json = ''] = readFileSync(join(ROOT, 'docs/browser-client.md'), 'utf8').match(/```json\n([^`]+)```/) ?? []
  const { paths } = JSON.parse(json).compilerOptions
  const lib = ['es2024', 'dom']
  const resolution = { module: 'esnext', moduleResolution: 'bundler', paths }
  return {
    compilerOptions: { target: 'es2024', lib, ...resolution, strict: true, noEmit: true, types: [] },
    files: ['src/app.ts'],
  }
}

/** What tsc prints: nothing when it succeeds. */
function compile (project: string, ...options: string[]): string {
  try {
    return execFileSync(process.execPath, [TSC, '-p', project, ...options], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout: string }).stdout)
  }
}

t.test('GET /gatehouse/client.d.ts: the types of client.js (200)', async t => {
  const { app } = await buildShared(t)
  const answer = await app.inject('/gatehouse/client.d.ts')
  t.match(answer, {
    statusCode: 200,
    headers: { 'content-type': 'application/typescript; charset=utf-8', 'cache-control': 'no-cache' },
  })
  const dir = makeFolder(t, 'types')
  t.equal(compile(join(ROOT, 'tsconfig.client.json'), '--outDir', dir), '')
  t.equal(answer.body, readFileSync(join(dir, 'client.d.ts'), 'utf8'), 'run `npm run generate` to write it again')
})

t.test('an application compiles with the types that the service serves', async t => {
  const { app } = await buildShared(t)
  const dir = makeFolder(t, 'types')
  mkdirSync(join(dir, 'src'))
  writeFileSync(join(dir, 'src/gatehouse-client.d.ts'), (await app.inject('/gatehouse/client.d.ts')).body)
  writeFileSync(join(dir, 'src/app.ts'), APPLICATION)
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(settingsOfThePage()))
  t.equal(compile(dir), '')
})

t.test('package.json: the name cannot be taken for a package of the registry', async t => {
  const { name, private: isPrivate, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  t.match(name, /^@[\w-]+\//)
  t.equal(isPrivate, true)
  t.equal(exports, undefined)
})
