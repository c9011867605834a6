import type { FastifyPluginAsync } from 'fastify'
import { ExportUserSchema } from '../../../../schemas/operator/export.ts'

const routes: FastifyPluginAsync = async function (app) {
  const { allow, dataExport } = app

  app.post<{ Params: { id: string } }>('/:id/export', {
    schema: ExportUserSchema,
    onRequest: allow('users:export'),
  }, async function exportUser ({ actor, params }, reply) {
    const data = await dataExport.beginFor(params.id, actor)
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="account-data.json"')
      .header('cache-control', 'no-store')
      .send(data)
  })
}

export const autoPrefix = 'users'
export default routes
