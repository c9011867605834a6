import type { FastifyReply } from 'fastify'

/** No login waits longer than this for its turn, all waiting taken together. */
const TURN_TIMEOUT = 8_000

/**
 * Aborts when waiting for a turn makes no sense any more: the client has gone, or the time is over.
 * Not `request.signal`, which aborts as soon as the body has been read.
 */
export function turnSignal ({ raw }: FastifyReply): AbortSignal {
  const turn = new AbortController()
  // Not AbortSignal.timeout: joined with another signal it may be collected as garbage before it aborts.
  const timer = setTimeout(() => turn.abort(new Error('the time to wait is over')), TURN_TIMEOUT).unref()
  raw.once('close', () => {
    clearTimeout(timer)
    if (!raw.writableFinished) turn.abort(new Error('the client closed the connection'))
  })
  return turn.signal
}
