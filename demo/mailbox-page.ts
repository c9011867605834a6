import { createHash } from 'node:crypto'
import { escapeHtml } from '../src/site/html.ts'
import { DEMO_USER } from './seed.ts'
import { pagePolicy, servicePage } from './service-page.ts'

export interface ReceivedMail { to: string, subject: string, text: string, html: string, at: Date }

/**
 * Opens the page again when a mail has arrived, and not while one is read. Not with reload(): Firefox would show the
 * frames by their place in the page before, each beside the text of another mail.
 */
const SCRIPT = `
const count = () => fetch(location.pathname + '/count').then(response => response.text()).catch(() => known)
const known = document.body.dataset.count
setInterval(async () => {
  const now = await count()
  if (now !== known) location.replace('?' + now)
}, 2000)
`

/** Mails are shown in frames without scripts, which take over this policy: only the logo is loaded from elsewhere. */
export const mailboxPolicy = (logo = '') => [
  pagePolicy(URL.canParse(logo) ? new URL(logo).origin : ''),
  "connect-src 'self'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
].join('; ')

const STYLE = `
article { margin-top: 1.5rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1.25rem;
  background: var(--surface); box-shadow: var(--shadow) }
h2 { margin: 0; font-size: 1.125rem }
.about { margin: .25rem 0 1.25rem; color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere }
.forms { display: grid; gap: 1.5rem }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9375rem }
.empty { margin-top: 2rem; padding: 2.5rem 1.5rem; border: 1px dashed var(--edge); border-radius: 1.25rem;
  text-align: center }
.empty svg { color: var(--quiet) }
.empty h2 { margin: .75rem 0 .375rem }
.empty p { max-width: 34rem; margin: 0 auto; color: var(--quiet); text-wrap: balance }
.empty .ways { display: flex; flex-wrap: wrap; justify-content: center; gap: .75rem; max-width: none;
  margin: 1.5rem auto }
iframe { width: 100%; height: 52rem; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--surface); resize: vertical }
@media (max-width: 34rem) { article { padding: 1rem } }
@media (min-width: 58rem) { .forms { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr) } }
`

const EMPTY = `<section class="empty">
<svg aria-hidden="true" width="56" height="56" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5">
<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="m4 7 8 6 8-6"/></svg>
<h2>No mail yet</h2>
<p>Do something that sends one: it appears here by itself.</p>
<p class="ways"><a class="button primary" href="/register">Create an account</a>
<a class="button" href="/reset-password">Reset a password</a></p>
<p>Or sign in twice, the second time in a private window: ${escapeHtml(DEMO_USER.email)} is told about the new
device.</p>
</section>`

/** `count`: of all mails since the start. */
export function mailboxPage (mails: ReceivedMail[], count: number, max: number): string {
  return servicePage({ title: 'Demo mailbox', style: STYLE, count, script: SCRIPT }, `<h1>Received mails</h1>
<p class="lead">All mails that Gatehouse sends are shown here. The last ${max} are kept until it stops.</p>
${mails.map(article).join('\n') || EMPTY}`)
}

function article ({ to, subject, text, html, at }: ReceivedMail): string {
  const time = `<time datetime="${at.toISOString()}">${at.toLocaleTimeString('en-GB')}</time>`
  return `<article>
<h2 dir="auto">${escapeHtml(subject)}</h2>
<p class="about">To ${escapeHtml(to)} · ${time}</p>
<div class="forms">
${html && frame(subject, html)}
<p class="text" dir="auto">${withLinks(text.trim())}</p>
</div>
</article>`
}

/** Without scripts and without our origin. Links open in this tab. */
function frame (subject: string, html: string): string {
  const content = escapeHtml(`<base target="_top">${html}`)
  return `<iframe sandbox="allow-top-navigation-by-user-activation" loading="lazy" title="${escapeHtml(subject)}"
  srcdoc="${content}"></iframe>`
}

/** Punctuation and quotes after a URL are not part of the link. */
function withLinks (text: string): string {
  return text.split(/(https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)])/)
    .map(part => escapeHtml(part))
    .map((part, index) => index % 2 === 0 ? part : `<a href="${part}">${part}</a>`)
    .join('')
}
