import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { OverviewSchema } from '../../../../schemas/operator/overview.ts'

const MINUTES = 60
const DAYS = 30

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accountTotals, allow, mailList, passwords, signInCounts } = app

  app.get('', { schema: OverviewSchema, onRequest: allow('overview:read') }, async function getOverview ({ query }) {
    const hours = Number(query.hours ?? '168')
    const { running, waiting } = passwords.queue
    return {
      minutes: await signInCounts.series('minute', MINUTES),
      hours: await signInCounts.series('hour', hours),
      days: await signInCounts.series('day', DAYS),
      totals: await accountTotals.latest(),
      sessionsByHour: await accountTotals.sessionsByHour(hours),
      sessionsByDay: await accountTotals.sessionsByDay(DAYS),
      passwords: { running, waiting },
      mails: await mailList.count(),
    }
  })
}

export const autoPrefix = 'overview'
export default routes
