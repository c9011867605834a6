import { readFileSync } from 'node:fs'
import t from 'tap'
import { build } from '../support/build.ts'

const NGINX = 'deploy/nginx/gatehouse/paths.conf'
const PAGE = 'docs/browser-client.md'
const ROUTES_OF_CHOICE = /^\/(docs|openapi\.json|api\/content|api\/sensitive)(\/|$)/
/** `/` leads on where Gatehouse is alone; `/assets/client.js` redirects applications of earlier versions. */
const ALSO_OF_AN_APP = ['/', '/assets/client.js']
const OF_AN_APP = ['/', '/assets/index.js', '/api/orders', '/api/authors', '/logins', '/healthy', '/.well-known/x']

const find = (file: string, pattern: RegExp) =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, found = '']) => found)

/** The value of a string in JavaScript code. */
const asString = (code: string) => code.replaceAll('\\\\', '\\')

const LISTS: Array<[file: string, patterns: string[], query: string]> = [
  [NGINX, find(NGINX, /location ~ (\S+) \{/g), ''],
  // The development server matches the query too.
  [PAGE, find(PAGE, /'(\^\S+)': service/g).map(asString), '?a=b'],
]

for (const [file, patterns, query] of LISTS) {
  t.test(`${file}: the paths of Gatehouse are those of its routes`, async t => {
    const urls = new Set<string>()
    await build(t, {
      settings: { OPENID: 'on' },
      before: app => app.addHook('onRoute', ({ url }) => { urls.add(url) }),
    })
    const isListed = (path: string) => patterns.some(pattern => new RegExp(pattern).test(path + query))
    t.ok(patterns.length > 0 && urls.size > 30)
    for (const url of urls) {
      t.equal(isListed(url.replace(/:\w+|\*/, 'x')), !ROUTES_OF_CHOICE.test(url) && !ALSO_OF_AN_APP.includes(url), url)
    }
    for (const path of OF_AN_APP) t.notOk(isListed(path), path)
  })
}
