// An app behind the guard: it has no sign-in of its own, and believes the two headers that only the front end can set.
import { createServer } from 'node:http'

const app = createServer(({ headers }, answer) => {
  answer.setHeader('content-type', 'text/plain; charset=utf-8')
  answer.end(`Hello ${decodeURI(headers['x-auth-username'] ?? 'nobody')}, you are user ${headers['x-auth-user-id']}.\n`)
})

app.listen(Number(process.env.PORT ?? 8080), process.env.HOST)
process.on('SIGTERM', () => app.close())
