import { servicePage } from './service-page.ts'

const STEP_SECONDS = 30

const STYLE = `
.code { margin: 1.5rem 0; font-size: 3rem; font-weight: 600; letter-spacing: .125em;
  font-variant-numeric: tabular-nums }
`

/** What an authenticator app would show. Loads itself again when the next code is valid. */
export function authenticatorPage (username: string, operatorUrl: string, code?: string): string {
  const rest = STEP_SECONDS - Math.floor(Date.now() / 1_000) % STEP_SECONDS
  const text = code
    ? `<p class="code">${code}</p>
<p>It changes in ${rest} seconds. Each code is accepted once: for another sign-in, wait for the next one.</p>`
    : '<p>The account has no authenticator app any more. It gets a new one when you start the demo again.</p>'
  const head = `<meta http-equiv="refresh" content="${rest}">\n`
  return servicePage({ title: 'Demo authenticator', style: STYLE, head }, `<h1>Code of the demo operator</h1>
<p class="lead">After the password, <a href="${operatorUrl}">the operator page</a> asks <b>${username}</b> for this
code. With your own account, it comes from an app on your phone.</p>
${text}`)
}
