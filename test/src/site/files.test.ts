import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import t from 'tap'
import { readAssets } from '../../../src/site/assets.ts'
import { findOperatorFiles, findPageFiles } from '../../../src/site/files.ts'
import { folderWith } from '../../support/folder.ts'

t.test('pages/: every file has a name of its own, whatever its folder', async t => {
  const files = readdirSync('pages', { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  t.equal((await findOperatorFiles()).size, files.length)
})

t.test('TEMPLATES_DIR: a file replaces ours of the same name, one in another folder replaces none', async t => {
  const folder = folderWith(t, { 'login.eta': '', 'old/login.eta': '', 'mails/html.eta': '', 'operator.css': '' })
  const { files, unknown } = await findPageFiles(folder)
  t.equal(files.get('login.eta'), join(folder, 'login.eta'))
  t.equal(files.get('mails/html.eta'), join(folder, 'mails/html.eta'))
  t.strictSame(unknown, ['old/login.eta', 'operator.css'])
})

t.test('scripts import each other by name: ours, and those of TEMPLATES_DIR', async t => {
  const folder = folderWith(t, {
    'dashboard.js': "import { read } from './api.js'\nimport './devices.js'\nfetch('./x.js')\n",
    'login.js': "import './form.js'\nimport './arrival.js'\n",
  })
  const { files } = await findPageFiles(folder)
  const { assets } = readAssets(files, (_name, content) => content)
  const served = (name: string) => String(assets.get(name)?.body)
  t.equal(served('dashboard.js'), "import { read } from './api.js'\nimport './devices.js'\nfetch('./x.js')\n")
  t.equal(served('login.js'), "import './form.js'\nimport './arrival.js'\n")
  t.match(served('texts.js'), 'import(`./texts/${')
  t.match(served('webauthn.js'), "import './simplewebauthn.js'")
})

t.test('our scripts are served without their comments, and are the same programs', async t => {
  const files = await findOperatorFiles()
  const { assets } = readAssets(files, (_name, content) => content)
  /** Without places, and without the paths of imports, which are names when they are served. */
  const programOf = (source: string) => JSON.stringify(parseAst(source), (key, value) =>
    ['start', 'end', 'raw'].includes(key) || /^\.{1,2}\//.test(value) ? undefined : value)
  for (const [name, path] of files) {
    if (!name.endsWith('.js') || name.startsWith('mails/')) continue
    const served = String(assets.get(name)?.body)
    t.notMatch(served, /^\s*\/[*/]/m, name)
    t.equal(programOf(served), programOf(readFileSync(path, 'utf8')), name)
  }
})

t.test('scripts of TEMPLATES_DIR are served as they are', async t => {
  const source = '// Ours\n/** Since 2026 */\nexport {}\n'
  const { files } = await findPageFiles(folderWith(t, { 'login.js': source }))
  const { assets } = readAssets(files, (_name, content) => content)
  t.equal(String(assets.get('login.js')?.body), source)
})

t.test('every script of the pages imports scripts that exist', async t => {
  const { assets } = readAssets(await findOperatorFiles(), (_name, content) => content)
  const scripts = [...assets].filter(([name]) => name.endsWith('.js'))
  t.ok(scripts.length > 60)
  for (const [name, { body }] of scripts) {
    for (const [, imported = ''] of String(body).matchAll(/^(?:import |\} from ).*?'(\.{1,2}\/[\w./-]+\.js)'$/gm)) {
      t.ok(assets.has(join(name, '..', imported)), `${name} imports ${imported}`)
    }
  }
})
