import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MailsSchema } from '../../../../schemas/operator/service.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, mailList } = app

  app.get('', { schema: MailsSchema, onRequest: allow('mails:read') }, async function listMails () {
    return { mails: await mailList.list() }
  })
}

export const autoPrefix = 'mails'
export default routes
