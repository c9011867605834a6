// An app without its own sign-in. It trusts the two headers, which only the reverse proxy can set.
import { createServer } from 'node:http'

const app = createServer(({ headers }, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  const username = decodeURI(headers['x-auth-username'] ?? 'unknown')
  response.end(`Hello ${username}, you are user ${headers['x-auth-user-id']}.\n`)
})

app.listen(Number(process.env.PORT ?? 8080), process.env.HOST)
process.on('SIGTERM', () => app.close())
