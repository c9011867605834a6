import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope } from 'smtp-server'
import { escapeHtml } from '../src/pages/html.ts'

export const MAILBOX_PATH = '/demo/mailbox'
const MAX_MAILS = 50

interface ReceivedMail { to: string, subject: string, text: string, at: Date }

/** A mail server that shows all mails on a page and delivers none. */
export async function startMailbox () {
  const mails: ReceivedMail[] = []
  let announce = (_mail: ReceivedMail) => {}

  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 500,
    onData: (stream, session, done) => {
      receive(stream, session.envelope).then(() => done(), done)
    },
  })

  async function receive (stream: SMTPServerDataStream, envelope: SMTPServerEnvelope) {
    const { subject = '', text = '' } = await PostalMime.parse(await buffer(stream))
    const mail = { to: envelope.rcptTo.map(({ address }) => address).join(', '), subject, text, at: new Date() }
    mails.unshift(mail)
    mails.splice(MAX_MAILS)
    announce(mail)
  }
  server.on('error', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`

  return {
    url,
    /** Does nothing if SMTP_URL is set to another mail server. */
    extend (app: FastifyInstance) {
      if (app.config.SMTP_URL !== url) return
      app.register(async app => {
        app.get(MAILBOX_PATH, async (_request, reply) => reply.type('text/html; charset=utf-8').send(page(mails)))
      })
      announce = ({ to, subject }) => {
        const { port } = app.server.address() as AddressInfo
        console.log(`Mail for ${to}: ${subject} → http://localhost:${port}${MAILBOX_PATH}`)
      }
    },
    stop: () => new Promise<void>(resolve => server.close(resolve)),
  }
}

function page (mails: ReceivedMail[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Demo mailbox</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem }
header p, .about { color: color-mix(in srgb, CanvasText 65%, Canvas) }
article { margin: 1.5rem 0; padding: 1.25rem 1.5rem; border-radius: .75rem;
  border: 1px solid color-mix(in srgb, CanvasText 18%, Canvas) }
h2 { margin: 0; font-size: 1.1rem }
.about { margin: .25rem 0 1rem; font-size: .875rem }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
</style>
</head>
<body>
<header>
<h1>Demo mailbox</h1>
<p>All mails that Gatehouse sends are shown here. The last ${MAX_MAILS} are kept until it stops.</p>
</header>
<main>
${mails.length > 0 ? mails.map(article).join('\n') : '<p>No mail yet. Register, or request a password reset.</p>'}
</main>
</body>
</html>
`
}

function article ({ to, subject, text, at }: ReceivedMail): string {
  const time = `<time datetime="${at.toISOString()}">${at.toLocaleTimeString('en-GB')}</time>`
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<p class="about">To ${escapeHtml(to)} · ${time}</p>
<p class="text">${withLinks(text.trim())}</p>
</article>`
}

/** Punctuation and quotes after a URL are not part of the link. */
function withLinks (text: string): string {
  return text.split(/(https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)])/)
    .map(part => escapeHtml(part))
    .map((part, index) => index % 2 === 0 ? part : `<a href="${part}">${part}</a>`)
    .join('')
}
