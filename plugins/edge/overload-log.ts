import fp from 'fastify-plugin'
import { Overloaded } from '../../src/errors.ts'

const REPORT_EVERY = 5_000

/** One line for all requests that were refused for overload in some seconds, instead of a stack for each. */
export default fp(async function (app) {
  const refused = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function report () {
    timer = undefined
    if (refused.size === 0) return
    app.log.warn({ refused: Object.fromEntries(refused) }, 'overloaded: requests were refused (503)')
    refused.clear()
  }

  app.addHook('onError', function countRefusal (_request, _reply, error, done) {
    if (error instanceof Overloaded) {
      refused.set(error.reason, (refused.get(error.reason) ?? 0) + 1)
      timer ??= setTimeout(report, REPORT_EVERY).unref()
    }
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    report()
  })
}, { name: 'overload-log' })
