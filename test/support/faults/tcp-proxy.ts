import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `cut`: each connection is closed after this many more bytes of responses.
 * `vanish`: a connection on which the client sends something like this gets no answer any more, and is never closed,
 * not even when the fault is over: the other end is gone without a word.
 */
export type NetworkFault =
  | { kind: 'none' }
  | { kind: 'delay', ms: number }
  | { kind: 'stall' }
  | { kind: 'cut', afterBytes: number }
  | { kind: 'vanish', when: RegExp }
  | { kind: 'refuse' }

interface Link { client: Socket, upstream: Socket, bytesSent: number, vanished: boolean }

/** A TCP proxy that can delay, stall, cut and refuse connections. */
export async function startProxy (t: { teardown (end: () => unknown): void }, upstreamPort: number) {
  const links = new Set<Link>()
  let fault: NetworkFault = { kind: 'none' }
  let changed = Promise.withResolvers<void>()
  let port = 0
  let server: Server | undefined
  let vanished = 0

  function accept (client: Socket) {
    const link = { client, upstream: connect(upstreamPort, '127.0.0.1'), bytesSent: 0, vanished: false }
    links.add(link)
    for (const socket of [link.client, link.upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => link.vanished || sever(link))
    }
    carry(link, link.client, link.upstream).catch(() => sever(link))
    carry(link, link.upstream, link.client).catch(() => link.vanished || sever(link))
  }

  async function carry (link: Link, from: Socket, to: Socket) {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      await holdBack()
      if (hasVanished(link, from, chunk)) continue
      const left = fault.kind === 'cut' && to === link.client ? fault.afterBytes - link.bytesSent : Infinity
      link.bytesSent += to === link.client ? chunk.length : 0
      to.write(chunk.subarray(0, Math.max(0, left)))
      if (chunk.length > left) return sever(link, 'after flushing')
    }
    await holdBack()
    if (!link.vanished) to.end()
  }

  function hasVanished (link: Link, from: Socket, chunk: Buffer): boolean {
    if (fault.kind === 'vanish' && from === link.client && fault.when.test(chunk.toString('latin1'))) {
      link.vanished = true
      vanished++
      link.upstream.destroy()
    }
    return link.vanished
  }

  async function holdBack () {
    if (fault.kind === 'delay') await sleep(fault.ms)
    while (fault.kind === 'stall') await changed.promise
  }

  function sever (link: Link, when?: 'after flushing') {
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

  async function set (wanted: NetworkFault) {
    fault = wanted
    changed.resolve()
    changed = Promise.withResolvers<void>()
    for (const link of links) link.bytesSent = 0
    if (fault.kind === 'refuse') await refuse()
    else if (!server) await listen()
  }

  await listen()
  t.teardown(() => set({ kind: 'refuse' }))

  return {
    port,
    set,
    clear: () => set({ kind: 'none' }),
    /** How many connections have vanished. */
    get vanished () { return vanished },
  }
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>
