import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** A wrong password takes as long as with the slowest hash that was imported, from now on. */
    prepareDecoys (): Promise<void>
  }
}

/** Instances that run during an import follow within this time. */
const INTERVAL = 60_000
/** Each hash is measured so many times, one interval apart: the machine may be busy at one of them. */
const MAX_PREPARATIONS = 10

function createDecoys (app: FastifyInstance) {
  const { importedHashes, log, passwords } = app
  const prepared = new Map<string, number>()
  let preparing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function prepareAll () {
    for (const { sample } of await importedHashes.list()) {
      const times = prepared.get(sample) ?? 0
      if (times >= MAX_PREPARATIONS) continue
      await passwords.prepareFor(sample)
      prepared.set(sample, times + 1)
    }
  }

  function prepareDecoys (): Promise<void> {
    preparing ??= prepareAll().finally(() => { preparing = undefined })
    return preparing
  }

  const prepareInBackground = () => {
    prepareDecoys().catch(err => log.warn({ err }, 'cannot prepare for the imported hashes'))
  }
  app.addHook('onListen', async function followImports () {
    prepareInBackground()
    timer = setInterval(prepareInBackground, INTERVAL).unref()
  })
  app.addHook('onClose', async function stopFollowing () {
    clearInterval(timer)
    await preparing?.catch(() => {})
  })
  return prepareDecoys
}

export default fp(async function (app) {
  app.decorate('prepareDecoys', createDecoys(app))
}, { name: 'decoys', dependencies: ['imported-hashes', 'passwords'] })
