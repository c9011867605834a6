// An empty Fastify route: the upper bound for a service on Fastify.
import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env.PORT) })
