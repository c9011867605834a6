import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createMailWriter } from '../../src/mail/templates.ts'
import type { MailName, MailValues } from '../../src/mail/values.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { DEFAULT_LANGUAGE } from '../../src/site/language.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { mailWriter: Awaited<ReturnType<typeof createWriter>> }
}

/** The words of mails, and the links in them. */
async function createWriter ({ config }: FastifyInstance) {
  const sender = {
    brand: config.BRAND_NAME,
    color: config.BRAND_COLOR,
    logo: config.BRAND_LOGO,
    url: config.PUBLIC_URL.replace(/\/+$/, ''),
  }
  const { files } = await findPageFiles(config.TEMPLATES_DIR)
  const write = await createMailWriter(sender, files)

  return {
    sender,

    /** In the language of the user. */
    writeTo: <Name extends MailName>({ language }: Pick<User, 'language'>, name: Name, values: MailValues[Name]) =>
      write(name, values, language ?? DEFAULT_LANGUAGE),

    /** The token is in the fragment, which browsers send neither to servers nor in `Referer`. */
    linkTo: (page: string, token: string, next?: string) =>
      `${sender.url}/${page}#${new URLSearchParams({ token, ...next && { next } })}`,
  }
}

export default fp(async function (app) {
  app.decorate('mailWriter', await createWriter(app))
}, { name: 'mail-writer' })
