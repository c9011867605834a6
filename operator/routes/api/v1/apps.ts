import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AddAppSchema, AppSchema, AppsSchema, ChangeAppSchema, RegisteredAppsSchema, RemoveAppSchema, RotateAppSecretSchema,
} from '../../../../schemas/operator/apps.ts'
import { limitOf } from '../../../../schemas/operator/common.ts'
import { NoSuchApplication } from '../../../../src/operators/errors.ts'

const withClientId = <Application extends { id: string }>({ id, ...application }: Application) =>
  ({ clientId: id, ...application })

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, manageApplications, refuseIdempotencyKey } = app
  const onRequest = allow('apps:write')

  async function find (id: string) {
    const application = await manageApplications.find(id)
    if (!application) throw new NoSuchApplication()
    return withClientId(application)
  }

  app.get('', { schema: AppsSchema, onRequest: allow('apps:read') }, async function listApps () {
    return { apps: (await manageApplications.list()).map(withClientId) }
  })

  app.get('/registered', {
    schema: RegisteredAppsSchema,
    onRequest: allow('apps:read'),
  }, async function listRegisteredApps ({ query }) {
    const { applications, next } = await manageApplications.listRegistered(limitOf(query), query.cursor)
    return { apps: applications.map(withClientId), next }
  })

  app.get('/:id', { schema: AppSchema, onRequest: allow('apps:read') }, async function getApp ({ params }) {
    return { app: await find(params.id) }
  })

  app.post('', {
    schema: AddAppSchema,
    onRequest,
    preHandler: refuseIdempotencyKey,
  }, async function addApp ({ actor, body }, reply) {
    const { id, secret } = await manageApplications.add(body, actor)
    return reply.code(201).send({ app: await find(id), secret })
  })

  app.patch('/:id', { schema: ChangeAppSchema, onRequest }, async function changeApp ({ actor, body, params }) {
    if (!await manageApplications.change(params.id, body, actor)) throw new NoSuchApplication()
    return { app: await find(params.id) }
  })

  app.post('/:id/rotate-secret', {
    schema: RotateAppSecretSchema,
    onRequest,
    preHandler: refuseIdempotencyKey,
  }, async function rotateAppSecret ({ actor, params }) {
    const secret = await manageApplications.rotateSecret(params.id, actor)
    if (!secret) throw new NoSuchApplication()
    return { secret }
  })

  app.delete('/:id', { schema: RemoveAppSchema, onRequest }, async function removeApp ({ actor, params }, reply) {
    if (!await manageApplications.remove(params.id, actor)) throw new NoSuchApplication()
    return reply.code(204).send()
  })
}

export const autoPrefix = 'apps'
export default routes
