import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type pg from 'pg'
import { eventually } from './patience.ts'
import { addTotp } from './second-factor.ts'
import type { ReceivedMail, startSmtp } from './smtp.ts'
import { codeIn } from './mail-sign-in.ts'

type Request = InjectOptions & { method: string, url: string }

interface Parts {
  app: FastifyInstance
  owner: pg.Pool
  smtp: Awaited<ReturnType<typeof startSmtp>>
  send (app: FastifyInstance, request: Request): Promise<LightMyRequestResponse>
  newcomer (): Promise<{
    id: string
    email: string
    send (method: string, url: string, payload?: object): Promise<LightMyRequestResponse>
  }>
}

const cookiesOf = ({ cookies }: LightMyRequestResponse) =>
  Object.fromEntries(cookies.map(({ name, value }) => [name, value]))

/** The responses of the routes that send codes in mails. Returns a registration that can still be finished. */
export async function exerciseMailSignIn ({ app, owner, smtp, send, newcomer }: Parts): Promise<Request> {
  const post = (url: string, payload: object, cookies = {}) => send(app, { method: 'POST', url, payload, cookies })
  const mailTo = (email: string) => eventually(
    () => smtp.mails.findLast(({ reader, text }) => reader === email && /^\d{6}$/m.test(text ?? '')),
    mail => mail !== undefined
  ) as Promise<ReceivedMail>

  async function ask (email: string) {
    const cookies = cookiesOf(await post('/login/mail', { email }))
    return { cookies, mail: await mailTo(email) }
  }

  const signedIn = await newcomer()
  const { cookies, mail } = await ask(signedIn.email)
  await post('/login/mail/link', { token: mail.token })
  await post('/login/mail/confirm', { code: codeIn(mail) }, cookies)
  const protectedUser = await newcomer()
  await addTotp(owner, protectedUser.id)
  const asked = await ask(protectedUser.email)
  await post('/login/mail/confirm', { code: codeIn(asked.mail) }, asked.cookies)

  async function prove (email: string) {
    const { cookies, mail } = await ask(email)
    return cookiesOf(await post('/login/mail/confirm', { code: codeIn(mail) }, cookies))
  }
  const proven = await prove('mail-1@example.com')
  await post('/register/mail', { name: 'One', username: 'ada' }, proven)
  await post('/register/mail', { name: 'One' }, proven)

  await post('/verify-email', { code: '123456' })
  const mailOnly = await newcomer()
  await mailOnly.send('POST', '/api/auth/email', { email: 'mail-2@example.com' })
  const code = codeIn(await mailTo('mail-2@example.com'))
  await mailOnly.send('POST', '/api/auth/email/confirm', { code })
  await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [mailOnly.id])
  await mailOnly.send('POST', '/api/auth/reauthenticate/mail')

  return { method: 'POST', url: '/register/mail', payload: { name: 'Two' }, cookies: await prove('mail-3@example.com') }
}
