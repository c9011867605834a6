import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** `cut`: each connection breaks after so many more bytes of answers. */
export type Weather =
  | { kind: 'fair' }
  | { kind: 'delay', ms: number }
  | { kind: 'stall' }
  | { kind: 'cut', afterBytes: number }
  | { kind: 'refuse' }

interface Link { client: Socket, upstream: Socket, answered: number }

/** Stands between a program and what it needs, and is the network on a bad day. */
export async function startProxy (t: { teardown (end: () => unknown): void }, upstreamPort: number) {
  const links = new Set<Link>()
  let weather: Weather = { kind: 'fair' }
  let changed = Promise.withResolvers<void>()
  let port = 0
  let server: Server | undefined

  function accept (client: Socket) {
    const link = { client, upstream: connect(upstreamPort, '127.0.0.1'), answered: 0 }
    links.add(link)
    for (const socket of [link.client, link.upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => sever(link))
    }
    carry(link, link.client, link.upstream).catch(() => sever(link))
    carry(link, link.upstream, link.client).catch(() => sever(link))
  }

  async function carry (link: Link, from: Socket, to: Socket) {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      await sitOut()
      const left = weather.kind === 'cut' && to === link.client ? weather.afterBytes - link.answered : Infinity
      link.answered += to === link.client ? chunk.length : 0
      to.write(chunk.subarray(0, Math.max(0, left)))
      if (chunk.length > left) return sever(link, 'after what was written')
    }
    await sitOut()
    to.end()
  }

  async function sitOut () {
    if (weather.kind === 'delay') await sleep(weather.ms)
    while (weather.kind === 'stall') await changed.promise
  }

  function sever (link: Link, when?: 'after what was written') {
    links.delete(link)
    link.upstream.destroy()
    if (when) link.client.end(() => link.client.destroy())
    else link.client.destroy()
  }

  async function listen () {
    server = createServer(accept)
    await once(server.listen(port, '127.0.0.1'), 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function refuse () {
    const closed = server && once(server, 'close')
    server?.close()
    server = undefined
    for (const link of links) sever(link)
    await closed
  }

  async function set (wanted: Weather) {
    weather = wanted
    changed.resolve()
    changed = Promise.withResolvers<void>()
    for (const link of links) link.answered = 0
    if (weather.kind === 'refuse') await refuse()
    else if (!server) await listen()
  }

  await listen()
  t.teardown(() => set({ kind: 'refuse' }))

  return { port, set, clear: () => set({ kind: 'fair' }) }
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>
