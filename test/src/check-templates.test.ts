import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkTemplates } from '../../src/check-templates.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { LANGUAGE_NAMES } from '../../src/site/language.ts'
import { folderWith } from '../support/folder.ts'

const { files } = await findPageFiles()
const ours = (name: string) => readFileSync(files.get(name) as string, 'utf8')
const changed = (name: string, from: string | RegExp, to: string) => {
  const text = ours(name).replace(from, to)
  if (text === ours(name)) throw new Error(`${name} does not contain ${from}`)
  return { [name]: text }
}

const inEachLanguage = (folder: string, text: string) =>
  Object.fromEntries(LANGUAGE_NAMES.map(language => [`${folder}/${language}.js`, text]))

const GOOD: Record<string, Record<string, string>> = {
  nothing: {},
  'a page with another order': changed('login.eta', '<h1>', '<p>Welcome</p><h1>'),
  'a text': changed('texts/de.js', "title: 'Anmelden'", "title: 'Willkommen'"),
  'only the words that differ': {
    'texts/de.js': "export default { login: { title: 'Willkommen' } }",
    'mails/texts/de.js': "export default { greeting: 'Hallo,', mails: { verify: { subject: 'Willkommen' } } }",
  },
  'no words': { 'texts/de.js': 'export default {}' },
  'texts for own templates, in each language': {
    ...changed('login.eta', '<h1>', '<p><%= it.texts.own.imprint %></p><h1>'),
    ...changed('mails/html.eta', '</body>', '<p><%= it.own.imprint %></p></body>'),
    ...inEachLanguage('texts', "export default { own: { imprint: 'Imprint' } }"),
    ...inEachLanguage('mails/texts', "export default { own: { imprint: 'Imprint of {brand}' } }"),
  },
  'a mail': changed('mails/html.eta', '</body>', '<p><%= it.brand %></p></body>'),
  'a style': { 'style.css': 'body { color: red }' },
  'hidden files': { '.DS_Store': 'x', '..data/login.eta': '<% if (%>' },
}

for (const [what, files] of Object.entries(GOOD)) {
  t.test(`own templates: ${what}: no problems`, async t => {
    t.strictSame(await checkTemplates(folderWith(t, files)), [])
  })
}

const BAD: Array<[what: string, files: Record<string, string>, problem: RegExp]> = [
  ['a syntax error', { 'login.eta': '<h1><% if ( %></h1>' }, /^login\.eta: ./],
  ['a tag that is not closed', { 'login.eta': '<h1><% if' }, /^login\.eta: unclosed tag at line 1 col 5/],
  ['a value that does not exist', changed('login.eta', 'it.texts.login.title', 'it.texts.login.heading'),
    /^login\.eta, line \d+: a template uses a value that it was not given: .*<%= it\.texts\.login\.heading %>/],
  ['a mistake in a part', changed('layout.eta', 'it.brand', 'it.brand.name.first'),
    /^layout\.eta, line \d+: Cannot read/],
  ['a missing id', changed('login.eta', 'id="username"', ''), /^login\.eta: no element has id="username"/],
  ['inline code', changed('register.eta', '<h1>', '<h1 onclick="x()">'), /^register\.eta: browsers refuse inline code/],
  ['an unknown name', { 'logn.eta': 'x' }, /^logn\.eta: Gatehouse has no file of this name$/],
  ['an unknown text', { 'texts/fr.js': "export default { login: { sumbit: 'Entrer' } }" },
    /^texts\/fr\.js: login\.sumbit is unknown\. .* "own"$/],
  ['an unknown text of a mail', { 'mails/texts/nl.js': 'export default { mails: { verify: { title: "x" } } }' },
    /^mails\/texts\/nl\.js: mails\.verify\.title is unknown/],
  ['a text for own templates that one language lacks', {
    ...inEachLanguage('texts', "export default { own: { imprint: 'Imprint' } }"),
    'texts/fr.js': 'export default { own: {} }',
  }, /^texts\/fr\.js: own\.imprint is missing: /],
  ['a text for own templates of mails that one language lacks', {
    ...inEachLanguage('mails/texts', "export default { own: { imprint: 'Imprint' } }"),
    'mails/texts/ja.js': 'export default {}',
  }, /^mails\/texts\/ja\.js: own\.imprint is missing: /],
  ['texts without a default export', { 'texts/fr.js': 'export const login = {}' }, /^texts\/fr\.js: it has no default/],
  ['a text of another type', changed('texts/fr.js', /^ {4}submit: .*\n/m, '    submit: () => \'x\',\n'),
    /^texts\/fr\.js: login\.submit is not a string$/],
  ['a text file that is no module', { 'texts/fr.js': 'export default {' }, /^texts\/fr\.js: Unexpected/],
  ['a mail with an unknown placeholder', changed('mails/texts/de.js', '{username}', '{user}'),
    /^mails\/texts\/de\.js: a text uses \{user\}/],
  ['a mistake in a mail', changed('mails/text.eta', 'it.greeting', 'it.hello.there'),
    /^mails\/text\.eta, line 1: Cannot/],
]

for (const [what, files, problem] of BAD) {
  t.test(`own templates: ${what}: one line that names the file`, async t => {
    const problems = await checkTemplates(folderWith(t, files))
    t.equal(problems.length, 1, problems.join('\n'))
    t.match(problems[0], problem)
    t.notMatch(problems[0], '\n')
  })
}

t.test('own templates: a folder that does not exist', async t => {
  t.match(await checkTemplates('/does/not/exist'), [/no such file or directory/])
})
