import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, type Connection } from './connection.ts'
import type { Cookies, Job, Outcome } from './job.ts'
import { createRequests, takeCookies, turn } from './request.ts'
import { createTally } from './tally.ts'

/** Milliseconds after the end of a job. Requests without a response by then count as unanswered. */
const RESPONSE_TIMEOUT = 60_000

interface Client {
  connection: Connection
  request(): string
  busy: boolean
}

export async function runJob (job: Job): Promise<Outcome> {
  const tally = createTally()
  const nextRequest = createRequests(job)
  const jars = Array.from({ length: job.connections }, (_, index): Cookies => ({ ...turn(job.cookies, index) }))
  /** With a rate: when each request that waits for a connection was due. */
  const due: number[] = []
  let ends = Infinity

  const clients = await Promise.all(
    jars.map(async function open (jar, index) {
      const client: Client = {
        busy: false,
        request: () => nextRequest(index, jar),
        connection: await openConnection(job.port, answer => {
          tally.add(answer)
          if (job.keep) takeCookies(jar, answer.head, job.keep)
          client.busy = false
          if (answer.status !== 0) goOn(client)
        }),
      }
      return client
    })
  )

  function send (client: Client, since?: number) {
    client.busy = true
    client.connection.send(client.request(), since)
  }

  function goOn (client: Client) {
    if (!job.rate) {
      if (performance.now() < ends) send(client)
    } else {
      const since = due.shift()
      if (since !== undefined) send(client, since)
    }
  }

  async function pace (rate: number, began: number) {
    for (let sent = 0; performance.now() < ends; await sleep(1)) {
      for (; sent < ((performance.now() - began) * rate) / 1_000; sent++) due.push(performance.now())
      for (const client of clients) if (!client.busy) goOn(client)
    }
  }

  const began = performance.now()
  ends = began + job.seconds * 1_000
  if (job.rate) await pace(job.rate, began)
  else for (const client of clients) send(client)
  while (clients.some(({ busy }) => busy) && performance.now() < ends + RESPONSE_TIMEOUT) await sleep(5)

  for (const { connection } of clients) connection.close()
  return {
    ...tally.summary(began, ends),
    unanswered: clients.filter(({ busy }) => busy).length,
    cookies: job.keep ? jars : [],
  }
}
