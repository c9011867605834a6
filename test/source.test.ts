import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '..')

function filesIn (folders: string[], ending: RegExp): Array<{ file: string, text: string }> {
  return folders.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => ending.test(name))
      .map(name => ({ file: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') }))
  )
}

/** What runs in production. The demo stack starts a PostgreSQL, and never runs there. */
const SERVICE = filesIn(['src', 'plugins', 'routes', 'schemas'], /\.[jt]s$/)
const PAGES = filesIn(['pages'], /\.(js|html)$/)

function test (title: string, never: RegExp, files: typeof SERVICE) {
  t.test(title, async t => {
    t.ok(files.length > 20)
    t.strictSame(
      files.filter(({ text }) => never.test(text)).map(({ file }) => file),
      []
    )
  })
}

test('nothing of ours starts another program', /child_process|\bexecFile|\bspawn\(/, SERVICE)
test('nothing of ours makes code from text', /\beval\(|new Function\(|node:vm\b|vm\.run/, [...SERVICE, ...PAGES])
test(
  'nothing of ours uses a weak hash or cipher',
  /createHash\(['"](md5|sha1)|createHmac\(['"](md5|sha1)|createCipher|-ecb|-cbc|\bRC4\b|\b3?DES\b/i,
  SERVICE
)
test('nothing of ours takes chance from Math.random', /Math\.random/, [...SERVICE, ...PAGES])
test(
  'nothing of ours talks TLS without looking at the certificate',
  /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/,
  SERVICE
)
test(
  'nothing of ours puts text into SQL that is not a constant',
  /query\([^)]*\$\{(request|body|params|user\.|value|email|username|token)/,
  SERVICE
)
test(
  'nothing of ours makes markup from text in the browser',
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
  PAGES
)
test('nothing of ours keeps anything in the browser but cookies', /localStorage|sessionStorage|indexedDB/, PAGES)
test(
  'nothing of ours takes messages from other windows',
  /(window|self|^\s*)\.?addEventListener\(['"]message|\bonmessage\b/m,
  PAGES
)
test('nothing of ours loads anything from elsewhere', /<(script|link|img|iframe)[^>]+(src|href)="https?:/, PAGES)
test('nothing of ours uses an old client technology', /<(applet|object|embed)\b/, PAGES)

t.test('every package is locked with its checksum, and none comes from outside the registry', async t => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string, integrity?: string, inBundle?: boolean }>
  }
  const locked = Object.entries(packages).filter(([path, { inBundle }]) => path !== '' && !inBundle)
  t.ok(locked.length > 100)
  const isLoose = ({ resolved = 'https://registry.npmjs.org/', integrity = '' }) =>
    !resolved.startsWith('https://registry.npmjs.org/') || !integrity.startsWith('sha512-')
  t.strictSame(
    locked.filter(([, entry]) => isLoose(entry)).map(([path]) => path),
    []
  )
})
