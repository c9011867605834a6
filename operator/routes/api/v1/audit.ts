import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditSchema, VerifyAuditSchema } from '../../../../schemas/operator/audit.ts'

/** Seals that a request checks, each with at most 1,000 events. The command line checks all. */
const CHECKED_SEALS = 500
const MAX_PROBLEMS = 100

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, audit } = app

  app.get('', { schema: AuditSchema, onRequest: allow('audit:read') }, async function getAudit () {
    return audit.state()
  })

  app.get('/verify', { schema: VerifyAuditSchema, onRequest: allow('audit:read') }, async function verifyAudit () {
    const { problems, ...verdict } = await audit.verify({ newest: CHECKED_SEALS })
    return { unbroken: problems.length === 0, ...verdict, problems: problems.slice(0, MAX_PROBLEMS) }
  })
}

export const autoPrefix = 'audit'
export default routes
