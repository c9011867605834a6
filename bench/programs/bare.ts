// What Fastify does when it is asked to do nothing: the most that a service on it can reach.
import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env.PORT) })
