import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import t from 'tap'
import { schemaCompilers } from '../../../src/edge/schema-compilers.ts'

const schema = Type.Object({ name: Type.String({ maxLength: 3 }) })

t.test('a schema is compiled once, for all routes and instances', async t => {
  const compiled: unknown[] = []
  const { buildSerializer, buildValidator } = schemaCompilers
  const remember = <Route, Compiled>(compile: (route: Route) => Compiled) => (route: Route) => {
    const result = compile(route)
    compiled.push(result)
    return result
  }
  for (let instance = 0; instance < 2; instance++) {
    const app = Fastify({
      schemaController: {
        compilersFactory: {
          buildValidator: (...args: Parameters<typeof buildValidator>) => remember(buildValidator(...args)),
          buildSerializer: () => remember(buildSerializer()),
        },
      },
    })
    t.teardown(() => app.close())
    const options = { schema: { body: schema, response: { 200: schema } } }
    for (const url of ['/a', '/b']) app.post(url, options, async () => ({ name: 'ada', secret: 1 }))
    t.equal((await app.inject({ method: 'POST', url: '/a', payload: { name: 'long' } })).statusCode, 400)
    t.strictSame((await app.inject({ method: 'POST', url: '/b', payload: { name: 'ada' } })).json(), { name: 'ada' })
  }
  t.equal(compiled.length, 8)
  t.equal(new Set(compiled).size, 2, 'one validator and one serializer')
})
