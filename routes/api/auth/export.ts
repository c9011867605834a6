import type { FastifyPluginAsync } from 'fastify'
import { ExportSchema } from '../../../schemas/export.ts'

const routes: FastifyPluginAsync = async function (app) {
  const { authenticate, dataExport, requireFresh } = app

  app.get('/export', {
    schema: ExportSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, requireFresh],
    // It would record an export.
    exposeHeadRoute: false,
  }, async function exportData (request, reply) {
    const data = await dataExport.begin(request)
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="account-data.json"')
      .header('cache-control', 'no-store')
      .send(data)
  })
}

export default routes
