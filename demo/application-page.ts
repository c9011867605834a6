import { createHash } from 'node:crypto'
import { escapeHtml } from '../src/site/html.ts'
import { page, PAGE_HEADERS } from './page.ts'
import type { Visitor } from './application-visitors.ts'

/** A box with a list on it. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect width="24" height="24" rx="6" fill="#b45309"/>
<path fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" d="M7 8h10M7 12h10M7 16h6"/></svg>`
const THEME = { title: 'Orders, a demo application', accent: '#b45309', mark: MARK }
const SHOWN = 24

/** Reloads the page when something has happened, such as a back-channel logout, but not while a button leads away. */
const SCRIPT = `
const known = document.querySelector('[data-count]').dataset.count
const count = () => fetch('/count').then(response => response.text()).catch(() => known)
let isLeaving = false
addEventListener('submit', () => { isLeaving = true })
addEventListener('pageshow', () => { isLeaving = false })
setInterval(async () => { if (await count() !== known && !isLeaving) location.reload() }, 1000)
`

export const APPLICATION_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': [
    PAGE_HEADERS['content-security-policy'],
    "connect-src 'self'",
    `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  ].join('; '),
}

const STYLE = `
main { max-width: 46rem }
h2 { margin: 2rem 0 .5rem; font-size: 1.0625rem }
table { width: 100%; border-collapse: collapse; font-size: .875rem }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  overflow-wrap: anywhere }
th { width: 11rem; font-weight: 600 }
ol { margin: 0; padding: 0; list-style: none; font-size: .875rem }
li { padding: .25rem 0; overflow-wrap: anywhere }
.answers { flex-wrap: wrap }
.answers button { flex: 1 1 40% }
form { display: contents }
`

const button = (action: string, label: string, isMain = false) =>
  `<form method="post" action="/${action}"><button${isMain ? ' class="main"' : ''}>${label}</button></form>`

const rows = (values: Record<string, unknown>) => Object.entries(values)
  .map(([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(written(value))}</td></tr>`)
  .join('\n')

/** Times are shown as such. */
function written (value: unknown): string {
  if (typeof value === 'number') return `${value} (${new Date(value * 1_000).toLocaleTimeString('en-GB')})`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const shortened = (token = '') => `${token.slice(0, SHOWN)}… (${token.length} characters)`

const table = (title: string, values: Record<string, unknown>) =>
  `<h2>${title}</h2>\n<table>\n${rows(values)}\n</table>`

/** What the application knows of this browser. */
export function applicationPage (visitor: Visitor, gatehouse: string): string {
  return page(THEME, `<style>${STYLE}</style>
${visitor.session ? heading(visitor.session) : signedOut(gatehouse)}
${happened(visitor)}
${visitor.session ? details(visitor.session) : ''}
<script>${SCRIPT}</script>`)
}

function signedOut (gatehouse: string): string {
  return `<h1>You are signed out here</h1>
<p>This application runs on another host and knows no password. It signs users in with OpenID Connect, at
<a href="${escapeHtml(gatehouse)}">${escapeHtml(gatehouse)}</a>.</p>
<div class="answers">${button('sign-in', 'Sign in with Gatehouse', true)}</div>`
}

type Session = NonNullable<Visitor['session']>

function heading ({ claims }: Session): string {
  return `<h1>You are ${escapeHtml(String(claims.name ?? claims.preferred_username))}</h1>
<p>Sign out at Gatehouse, or end this session there from another device: this page notices.</p>
<div class="answers">
${button('refresh', 'Refresh the tokens')}
${button('userinfo', 'Ask for the user')}
${button('sign-out', 'Sign out here only')}
${button('sign-out-everywhere', 'Sign out everywhere', true)}
</div>`
}

function details ({ claims, tokens, user }: Session): string {
  return `${table('Claims of the ID token', claims)}
${table('Tokens', {
  access_token: shortened(tokens.access_token),
  refresh_token: shortened(tokens.refresh_token),
  id_token: shortened(tokens.id_token),
})}
${user ? table('User, as the userinfo endpoint says', user) : ''}`
}

function happened ({ log }: Visitor): string {
  const items = log.map(({ at, text }) => `<li><time>${at.toLocaleTimeString('en-GB')}</time> ${escapeHtml(text)}</li>`)
  const none = '<li>Nothing yet.</li>'
  return `<h2>What happened</h2>\n<ol data-count="${log.length}">\n${items.toReversed().join('\n') || none}\n</ol>`
}
