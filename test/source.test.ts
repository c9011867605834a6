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

/** What runs in production. The demo, which starts a PostgreSQL, does not. */
const SERVICE = filesIn(['src', 'plugins', 'routes', 'operator', 'schemas'], /\.[jt]s$/)
const PAGES = filesIn(['pages'], /\.(js|eta)$/)

function test (title: string, never: RegExp, files: typeof SERVICE) {
  t.test(title, async t => {
    t.ok(files.length > 20)
    t.strictSame(
      files.filter(({ text }) => never.test(text)).map(({ file }) => file),
      []
    )
  })
}

test('source: starts no other program', /child_process|\bexecFile|\bspawn\(/, SERVICE)
test('source: no eval or the like', /\beval\(|new Function\(|node:vm\b|vm\.run/, [...SERVICE, ...PAGES])
/** The interface of Have I Been Pwned takes a SHA-1 prefix, and protects nothing with it. */
const BREACHED_PASSWORDS = 'src/passwords/breached-passwords.ts'
/** Verifies the hashes of Firebase, which are made with AES-256 in counter mode. */
const FIREBASE = 'src/passwords/schemes/scrypt.ts'
test(
  'source: no weak hash or cipher',
  /createHash\(['"](md5|sha1)|createHmac\(['"](md5|sha1)|createCipher|-ecb|-cbc|\bRC4\b|\b3?DES\b/i,
  SERVICE.filter(({ file }) => file !== BREACHED_PASSWORDS && file !== FIREBASE)
)
test('source: no Math.random', /Math\.random/, [...SERVICE, ...PAGES])
test(
  'source: TLS certificates are always verified',
  /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/,
  SERVICE
)
test(
  'source: only constants in the text of SQL',
  /query\([^)]*\$\{(request|body|params|user\.|value|email|username|token)/,
  SERVICE
)
test(
  'source: no markup from text in the browser',
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
  PAGES
)
test('source: cookies are the only browser storage', /localStorage|sessionStorage|indexedDB/, PAGES)
test(
  'source: no messages from other windows',
  /(window|self|^\s*)\.?addEventListener\(['"]message|\bonmessage\b/m,
  PAGES
)
test('source: nothing is loaded from other hosts', /<(script|link|img|iframe)[^>]+(src|href)="https?:/, PAGES)
test('source: no obsolete client technology', /<(applet|object|embed)\b/, PAGES)

t.test('package-lock.json: every package has a checksum and comes from the registry', async t => {
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
