import { escapeHtml } from '../src/site/html.ts'
import { DEMO_OPERATOR } from './operator.ts'
import { DEMO_USER } from './seed.ts'
import { servicePage } from './service-page.ts'

const STYLE = `
.tour { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1.25rem;
  margin: 2rem 0 0 }
.tour li { display: flex; flex-direction: column; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--surface); box-shadow: var(--shadow) }
.tour p { margin: .375rem 0 1.25rem; color: var(--quiet) }
.tour .ways { display: flex; flex-wrap: wrap; gap: .625rem; margin: auto 0 0 }
.tour .button { font-size: .9375rem }
code { padding: .0625rem .3125rem; border-radius: .3125rem; white-space: nowrap; user-select: all;
  background: color-mix(in srgb, var(--text) 8%, transparent); color: var(--text); font-size: .875em }
code.command { white-space: normal; -webkit-box-decoration-break: clone; box-decoration-break: clone }
code.command span { white-space: nowrap }
@media (max-width: 34rem) { .tour { gap: .75rem } .tour li { padding: 1.125rem } }
`

interface Way { href: string, label: string, icon?: string }

/** `text` is inserted as it is. */
interface Card { title: string, text: string, ways: Way[] }

interface Tour {
  providers: Array<{ path: string, name: string, icon: string }>
  /** Undefined if mails are sent to another server. */
  mailbox?: string
  /** Undefined if the OpenID provider is off. */
  application?: string
  operators: string
  authenticator: string
}

const asUser = ({ username, password }: { username: string, password: string }) =>
  `<code>${escapeHtml(username)}</code> with <code>${escapeHtml(password)}</code>`

function cardsOf ({ providers, mailbox, application, operators, authenticator }: Tour): Card[] {
  return [
    {
      title: 'Sign in',
      text: `As ${asUser(DEMO_USER)}. Then look at the devices, the security events and your data.`,
      ways: [{ href: '/login', label: 'Sign in' }],
    },
    {
      title: 'Register',
      text: 'With any address: mails stay on this machine. The link in the mail confirms the address.',
      ways: [{ href: '/register', label: 'Create an account' }],
    },
    {
      title: 'Passkey',
      text: 'Sign in, add a passkey, sign out, and sign in without a password. It works at <b>localhost</b>, too.',
      ways: [{ href: '/dashboard#factors', label: 'Add a passkey' }],
    },
    {
      title: 'Second factor',
      text: 'Add an authenticator app, and keep its recovery codes. The next sign-in asks for a code.',
      ways: [{ href: '/dashboard#factors', label: 'Add an app' }],
    },
    {
      title: 'Providers',
      text: 'Three invented companies, on this machine. Their pages let you choose an account, or simulate an error.',
      ways: providers.map(({ path, name, icon }) => ({ href: `/api/auth/${path}`, label: name, icon })),
    },
    ...application
      ? [{
          title: 'Orders, an application',
          text: 'On another host, without passwords of its own: it signs users in with Gatehouse, by OpenID Connect.',
          ways: [{ href: application, label: 'Open Orders' }],
        }]
      : [],
    ...mailbox
      ? [{
          title: 'Mailbox',
          text: 'Every mail that Gatehouse sends arrives here: confirmations, new passwords, security alerts.',
          ways: [{ href: mailbox, label: 'Open the mailbox' }, { href: '/reset-password', label: 'Reset a password' }],
        }]
      : [],
    {
      title: 'Operators',
      text: `Accounts, limits, webhooks and applications. As ${asUser(DEMO_OPERATOR)}; then it asks for a code.`,
      ways: [{ href: operators, label: 'Open the operator page' }, { href: authenticator, label: 'Show the code' }],
    },
    {
      title: 'API and command line',
      text: 'Try every request in the browser. In another terminal: ' +
        '<code class="command">npm run <span>gatehouse -- user list</span></code>',
      ways: [{ href: '/docs', label: 'API' }, { href: '/health', label: 'Health' }],
    },
  ]
}

function way ({ href, label, icon }: Way): string {
  const image = icon ? `<img src="/gatehouse/providers/${icon}.svg" alt="" width="20" height="20">` : ''
  return `<a class="button" href="${escapeHtml(href)}">${image}${escapeHtml(label)}</a>`
}

const card = ({ title, text, ways }: Card) => `<li>
<h2>${title}</h2>
<p>${text}</p>
<div class="ways">${ways.map(way).join('\n')}</div>
</li>`

export function tourPage (tour: Tour): string {
  return servicePage({ title: 'Gatehouse demo', style: STYLE }, `<h1>What you can try</h1>
<p class="lead">Everything runs on this machine and works offline. It is a demo, not for production.</p>
<ul class="tour">
${cardsOf(tour).map(card).join('\n')}
</ul>`)
}
