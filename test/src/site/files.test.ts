import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readAssets } from '../../../src/site/assets.ts'
import { findPageFiles } from '../../../src/site/files.ts'
import { temporaryFolder } from '../../support/stack.ts'

/** In version 0.2, these were side by side. */
const FORMER_NAMES = `
  api.js arrival.js authenticator-app.js busy.js change-email.js change-password.js code-field.eta code-field.js
  confirm-identity.js dashboard.eta dashboard.js dates.js delete-account.js devices.js docs.css docs.js
  download-data.js elements.js factor-dialogs.eta factors.eta factors.js fields.js form.js go-on.js language-menu.eta
  languages.js link-token.js login.eta login.js name-dialog.js new-password.eta notice.js own-language.js
  own-passkeys.js passkey-button.js passkey-sign-in.js passkey-signals.js passkeys.js password-rules.js providers.eta
  providers.js question.js recovery-codes.js register.eta register.js reset-password.eta reset-password.js reveal.js
  safe-next.js second-step.js security-events.js stay-fresh.js strength.js texts.js verify-email.eta verify-email.js
  webauthn.js`.trim().split(/\s+/)

function folderWith (t: Test, files: Record<string, string>): string {
  const folder = temporaryFolder(end => t.teardown(end))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

t.test('TEMPLATES_DIR: every name of version 0.2 replaces the file that is now in a folder', async t => {
  const folder = folderWith(t, Object.fromEntries(FORMER_NAMES.map(name => [name, ''])))
  const { files: ours } = await findPageFiles()
  const { files, unknown } = await findPageFiles(folder)
  t.strictSame(unknown, [])
  t.strictSame([...files.keys()], [...ours.keys()])
  for (const former of FORMER_NAMES) {
    const names = [...files].filter(([, path]) => path === join(folder, former)).map(([name]) => name)
    t.match(names, [new RegExp(`^[\\w-]+/${former}$`)], former)
    t.equal(names.length, 1, former)
  }
})

t.test('TEMPLATES_DIR: the name of today is preferred, and a name that two files have is unknown', async t => {
  const folder = folderWith(t, { 'login.eta': 'former', 'login/login.eta': 'new', 'en.js': '', 'operator.css': '' })
  const { files, unknown } = await findPageFiles(folder)
  t.equal(files.get('login/login.eta'), join(folder, 'login/login.eta'))
  t.strictSame(unknown, ['en.js', 'operator.css'])
})

t.test('TEMPLATES_DIR: a script of version 0.2 imports the others from their folders', async t => {
  const folder = folderWith(t, {
    'dashboard.js': "import { read } from './api.js'\nimport './devices.js'\nimport { x } from './client.js'\n",
    'texts.js': "import './simplewebauthn.js'\nawait import(`./texts/` + file)\n",
    'style.css': "@import './own.css';\n",
    'login/login.js': "import '../parts/form.js'\nimport './arrival.js'\nfetch('./x.js')\n",
  })
  const { files } = await findPageFiles(folder)
  const { assets } = readAssets(files, (_name, content) => content)
  const served = (name: string) => String(assets.get(name)?.body)
  t.equal(
    served('dashboard/dashboard.js'),
    "import { read } from '../parts/api.js'\nimport './devices.js'\nimport { x } from '../client.js'\n"
  )
  t.equal(served('parts/texts.js'), "import '../simplewebauthn.js'\nawait import(`../texts/` + file)\n")
  t.equal(served('style.css'), "@import './own.css';\n")
  t.equal(served('login/login.js'), "import '../parts/form.js'\nimport './arrival.js'\nfetch('./x.js')\n")
})
