import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { escapeHtml } from '../../../src/site/html.ts'
import { loadTemplates } from '../../../src/site/templates.ts'
import { temporaryFolder } from '../../support/stack.ts'

/** Templates in a folder of their own. */
function load (t: Test, files: Record<string, string>) {
  const folder = temporaryFolder(end => t.teardown(end))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return loadTemplates(new Map(Object.keys(files).sort().map(name => [name, join(folder, name)])))
}

t.test('values are inserted, escaped and once', async t => {
  const templates = load(t, { 'a.eta': '<p title="<%= it.b %>"><%= it.c %></p>' })
  t.equal(
    templates.render('@a', { b: '"><script>', c: '<%= it.b %>' }),
    '<p title="&quot;&gt;&lt;script&gt;">&lt;%= it.b %&gt;</p>'
  )
  t.equal(escapeHtml('<a href="x">\'&\'</a>'), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;')
})

t.test('layouts, parts and folders', async t => {
  const templates = load(t, {
    'layout.eta': '[<%~ it.body %>]',
    'in/page.eta': "<% layout('@layout') %><%~ include('@in/part', it) %>!",
    'in/part.eta': '<b><%= it.name %></b>',
    'other.txt': '<% broken',
  })
  t.equal(templates.render('@in/page', { name: '&' }), '[<b>&amp;</b>!]')
})

t.test('a missing value is an error', async t => {
  const templates = load(t, { 'a.eta': '<%= it.nothing %>' })
  const message = 'a.eta, line 1: a template uses a value that it was not given'
  t.throws(() => templates.render('@a', {}), { message })
})

t.test('a mistake in a template shows when it is loaded', async t => {
  t.throws(() => load(t, { 'a.eta': '<% if (%>' }), { message: /^a\.eta: [^\n]+$/ })
  t.throws(() => load(t, { 'a.eta': 'text <% if' }), { message: /^a\.eta: unclosed tag[^\n]+$/ })
})

t.test('a mistake in a layout or a part names its file', async t => {
  const templates = load(t, {
    'layout.eta': '<b>\n<%= it.nothing.at.all %></b>',
    'page.eta': "<% layout('@layout') %>x",
  })
  t.throws(() => templates.render('@page', {}), { message: /^layout\.eta, line 2: [^\n]+$/ })
})
