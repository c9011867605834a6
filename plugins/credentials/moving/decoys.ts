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

function createDecoys (app: FastifyInstance) {
  const { importedHashes, log, passwords } = app
  const prepared = new Set<string>()
  let preparing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function prepareAll () {
    for (const { sample } of await importedHashes.list()) {
      if (prepared.has(sample)) continue
      await passwords.prepareFor(sample)
      prepared.add(sample)
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
