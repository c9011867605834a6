import t from 'tap'
import { html, prose } from '../../../src/pages/html.ts'

t.test('text is escaped, HTML is not escaped twice', async t => {
  t.equal(
    String(html`<p title="${'"'}">${'<script>&'}${html`<b>${'<'}</b>`}${[html`<i>1</i>`]}${undefined}${0}</p>`),
    '<p title="&quot;">&lt;script&gt;&amp;<b>&lt;</b><i>1</i>0</p>'
  )
})

t.test('descriptions: paragraphs, lists, code and bold', async t => {
  t.equal(
    String(prose('One `<a>`.\n\n- **Two**\n- three')),
    '<p>One <code>&lt;a&gt;</code>.</p>\n<ul><li><strong>Two</strong></li>\n<li>three</li></ul>'
  )
})
