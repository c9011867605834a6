// A bare node:http server that sends one given response.
import { createServer } from 'node:http'

const { status, headers, keepAlive, body } = JSON.parse(process.env.RESPONSE as string)
const keepAliveTimeout = Number(/timeout=(\d+)/.exec(keepAlive)?.[1]) * 1_000

const server = createServer({ keepAliveTimeout }, function respond (_request, response) {
  response.writeHead(status, headers).end(body)
})
server.listen(Number(process.env.PORT))
