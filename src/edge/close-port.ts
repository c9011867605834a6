import type { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that took less than this many milliseconds had nothing to do. */
const IDLE_TURN = 0.1
const MAX_WAIT = 1_000

/**
 * Closes the port in a moment in which no connection waits to be accepted: the system would reset it.
 * Node accepts one connection in each turn of the event loop.
 */
export async function closePort (server: Server) {
  let accepted = 0
  server.on('connection', () => { accepted++ })
  const limit = performance.now() + MAX_WAIT
  for (let idleTurns = 0; idleTurns < 2 && performance.now() < limit;) {
    const [before, start] = [accepted, performance.now()]
    await nextTurn()
    idleTurns = accepted === before && performance.now() - start < IDLE_TURN ? idleTurns + 1 : 0
  }
  server.close()
}
