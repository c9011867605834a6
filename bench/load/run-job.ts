import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, type Connection } from './connection.ts'
import type { Cookies, Job, Outcome } from './job.ts'
import { createRequests, takeCookies, turn } from './request.ts'
import { createTally } from './tally.ts'

/** Milliseconds after the end of a job. Requests without a response by then count as unanswered. */
const RESPONSE_TIMEOUT = 60_000

interface Client {
  connection: Connection
  browser?: Browser
}

interface Browser {
  index: number
  jar: Cookies
}

export async function runJob (job: Job): Promise<Outcome> {
  const tally = createTally()
  const nextRequest = createRequests(job)
  const browsers = Array.from(
    { length: Math.max(job.connections, job.keep ? job.bodies?.length ?? 0 : 0) },
    (_, index): Browser => ({ index, jar: { ...turn(job.cookies, index) } })
  )
  const waiting = [...browsers]
  /** With a rate: when each request that waits for a connection was due. */
  const due: number[] = []
  let ends = Infinity

  const clients = await Promise.all(
    Array.from({ length: job.connections }, async function open () {
      const client: Client = {
        connection: await openConnection(job.port, answer => {
          tally.add(answer)
          free(client, answer.head)
          if (answer.status !== 0) goOn(client)
        }),
      }
      return client
    })
  )

  function send (client: Client, since?: number) {
    const browser = waiting.shift() as Browser
    client.browser = browser
    client.connection.send(nextRequest(browser.index, browser.jar), since)
  }

  function free (client: Client, head: string) {
    if (!client.browser) return
    if (job.keep) takeCookies(client.browser.jar, head, job.keep)
    waiting.push(client.browser)
    client.browser = undefined
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
      for (const client of clients) if (!client.browser) goOn(client)
    }
  }

  const began = performance.now()
  ends = began + job.seconds * 1_000
  if (job.rate) await pace(job.rate, began)
  else for (const client of clients) send(client)
  while (clients.some(({ browser }) => browser) && performance.now() < ends + RESPONSE_TIMEOUT) await sleep(5)

  for (const { connection } of clients) connection.close()
  return {
    ...tally.summary(began, ends),
    unanswered: clients.filter(({ browser }) => browser).length,
    cookies: job.keep ? browsers.map(({ jar }) => jar) : [],
  }
}
