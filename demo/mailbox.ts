import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope } from 'smtp-server'
import { mailboxPage, mailboxPolicy, type ReceivedMail } from './mailbox-page.ts'

/** Below a path that reverse proxies forward. The former path is only reachable without a proxy. */
export const MAILBOX_PATH = '/gatehouse/demo/mailbox'
const PATHS = [MAILBOX_PATH, '/demo/mailbox']
const MAX_MAILS = 50

/** A mail server that shows all mails on a page and delivers none. */
export async function startMailbox () {
  const mails: ReceivedMail[] = []
  let count = 0
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
    const { subject = '', text = '', html = '' } = await PostalMime.parse(await buffer(stream))
    const mail = { to: envelope.rcptTo.map(({ address }) => address).join(', '), subject, text, html, at: new Date() }
    mails.unshift(mail)
    mails.splice(MAX_MAILS)
    count++
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
      app.decorate('mailboxPath', MAILBOX_PATH)
      const policy = mailboxPolicy(app.config.BRAND_LOGO)
      app.register(async app => {
        for (const path of PATHS) {
          app.get(path, async (_request, reply) => reply
            .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
            .send(mailboxPage(mails, count, MAX_MAILS)))
          app.get(`${path}/count`, async () => String(count))
        }
      })
      announce = ({ to, subject }) => {
        const { port } = app.server.address() as AddressInfo
        console.log(`Mail for ${to}: ${subject} → http://localhost:${port}${MAILBOX_PATH}`)
      }
    },
    stop: () => new Promise<void>(resolve => server.close(resolve)),
  }
}
