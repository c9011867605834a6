import { Value } from '@sinclair/typebox/value'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import t from 'tap'
import en from '../../../pages/texts/en.js'
import de from '../../../pages/texts/de.js'
import { createMailWriter } from '../../../src/mail/templates.ts'
import { Settings, type Config } from '../../../src/settings/schema.ts'
import { findPageFiles } from '../../../src/site/files.ts'
import { createPageRenderer } from '../../../src/site/renderer.ts'
import { folderWith } from '../../support/folder.ts'

const config = { ...Value.Default(Settings, { PUBLIC_URL: 'https://auth.example.com' }) as Config, openIdProviders: [] }
const OWN = "export default { login: { title: 'Willkommen' }, own: { imprint: 'Impressum' } }"

t.test('a file with one text: the page has it, and all others in the same language', async t => {
  const { files } = await findPageFiles(folderWith(t, { 'texts/de.js': OWN }))
  const { page } = await createPageRenderer(config, files)
  t.match(page('login', 'de'), '<h1>Willkommen</h1>')
  t.match(page('login', 'de'), de.login.forgot)
  t.match(page('login', 'en'), `<h1>${en.login.title}</h1>`)
})

t.test('a file with one text: so do the scripts, which load everything at once', async t => {
  const { files } = await findPageFiles(folderWith(t, { 'texts/de.js': OWN }))
  const { page, assets } = await createPageRenderer(config, files)
  const needed = ['texts/de.js', 'texts/de-ours.js', 'texts/de-own.js', 'merge-texts.js']
  const served = folderWith(t, Object.fromEntries(needed.map(name => [name, String(assets.get(name)?.body)])))
  const { default: texts } = await import(pathToFileURL(join(served, 'texts/de.js')).href)
  t.equal(texts.login.title, 'Willkommen')
  t.equal(texts.login.forgot, de.login.forgot)
  t.equal(texts.own.imprint, 'Impressum')
  t.strictSame(Object.keys(texts).sort(), [...Object.keys(de), 'own'].sort())
  for (const name of needed) t.match(page('login', 'de'), `/${name}"`, `${name} is loaded early`)
  t.notOk(assets.has('texts/en-own.js'), 'other languages are one file')
})

t.test('a file with one text of a mail: the mail has it, and all others in the same language', async t => {
  const { files } = await findPageFiles(folderWith(t, {
    'mails/texts/de.js': "export default { mails: { verify: { subject: 'Willkommen bei {brand}' } } }",
  }))
  const write = await createMailWriter({ brand: 'Acme', color: '#2f5bea', url: 'https://auth.example.com' }, files)
  const values = { username: 'ada', link: 'https://auth.example.com/verify-email#token=x' }
  const { subject, text } = write('verify', values as never, 'de')
  t.equal(subject, 'Willkommen bei Acme')
  t.match(text, 'ada')
})
