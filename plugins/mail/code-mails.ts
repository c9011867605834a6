import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Mail } from '../../src/mail/templates.ts'
import type { Language } from '../../src/site/language.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { codeMails: ReturnType<typeof createCodeMails> }
}

/** `askedBy`: the digest of what only the browser that asked has. `language`: of the page, for a new account. */
export interface SignInMessage { kind: 'sign-in', email: string, askedBy: string, language?: Language, next?: string }
export interface ConfirmMessage { kind: 'confirm-identity', email: string, askedBy: string }

/** Mails with a code, which is made here, so that it is in the mail alone. */
function createCodeMails ({ config, mailCodes, mailWriter }: FastifyInstance) {
  const { linkTo, writeTo } = mailWriter
  const issueFor = ({ email, askedBy }: SignInMessage | ConfirmMessage, purpose: 'sign-in' | 'confirm', user?: User) =>
    mailCodes.issue({ purpose, email, askedBy: Buffer.from(askedBy, 'base64url'), userId: user?.id })

  return {
    /** For the session that asked for the change. Undefined if there is only the link. */
    async codeOfChange (email: string, { id }: User): Promise<string | undefined> {
      return (await mailCodes.issue({ purpose: 'change-email', email, userId: id }))?.code
    },

    async verify (user: User, link: string): Promise<Mail> {
      const issued = await mailCodes.issue({ purpose: 'verify', email: user.email, userId: user.id })
      return writeTo(user, 'verify', { username: user.username, link, code: issued?.code })
    },

    /** Undefined if a newer request took its place, or the code would have expired. */
    async signIn (message: SignInMessage, user: User): Promise<Mail | undefined> {
      const issued = await issueFor(message, 'sign-in', user)
      if (!issued) return undefined
      const link = linkTo('login/mail', issued.token, message.next)
      return writeTo(user, 'sign-in', { username: user.username, link, code: issued.code })
    },

    /** For an address without an account. */
    async signUp (message: SignInMessage): Promise<Mail | undefined> {
      const issued = config.REGISTRATION === 'open' ? await issueFor(message, 'sign-in') : undefined
      if (!issued) return undefined
      const link = linkTo('login/mail', issued.token, message.next)
      return writeTo({ language: message.language ?? null }, 'sign-up', { link, code: issued.code })
    },

    /** Undefined if there were too many wrong codes: the user signs in again instead. */
    async confirm (message: ConfirmMessage, user: User): Promise<Mail | undefined> {
      const code = (await issueFor(message, 'confirm', user))?.code
      return code ? writeTo(user, 'confirm-identity', { username: user.username, code }) : undefined
    },
  }
}

export default fp(async function (app) {
  app.decorate('codeMails', createCodeMails(app))
}, { name: 'code-mails', dependencies: ['mail-codes', 'mail-writer'] })
