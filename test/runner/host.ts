// A process that runs test files one after the other: the path of each comes on a line of standard input, and its TAP
// goes to standard output. To load the service takes two seconds of processor time, which are paid once here.
// Each file has its own `tap`, and its own instance of every module in test/, as in a process of its own, except for
// support/shared.ts.
import { existsSync, readFileSync } from 'node:fs'
import { flushCompileCache, registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { Test } from 'tap'

const TESTS = new URL('..', import.meta.url).href
const OWN_TAP = new URL('own-tap.ts', import.meta.url).href
const NO_DOMAIN = new URL('no-domain.ts', import.meta.url).href
const SHARED = new URL('../support/shared.ts', import.meta.url).href

/** The `tap` of each file, by the address of its own-tap.ts. */
export const taps = new Map<string, Test>()

registerHooks({
  resolve (specifier, context, nextResolve) {
    if (specifier === 'async-hook-domain') return { url: NO_DOMAIN, shortCircuit: true }
    const { parentURL = '' } = context
    if (!parentURL.includes('?')) return nextResolve(specifier, context)
    const { search } = new URL(parentURL)
    if (specifier === 'tap') return { url: OWN_TAP + search, shortCircuit: true }
    const resolved = nextResolve(specifier, context)
    const { url } = resolved
    const isOwn = url.startsWith(TESTS) && url !== import.meta.url && url !== SHARED
    return isOwn ? { ...resolved, url: url + search } : resolved
  },
})

const tap = await import('tap')
const { endAfterLastFile, endShared } = await import('../support/shared.ts')
endAfterLastFile()

/** Of the processes that this one started and that have ended, in seconds. Linux counts a hundred ticks a second. */
function processorOfChildren (): number {
  if (!existsSync('/proc/self/stat')) return 0
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

function processorTime (): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + processorOfChildren()
}

async function run (file: string) {
  const search = `?${encodeURIComponent(file)}`
  const before = processorTime()
  const options: ConstructorParameters<typeof Test>[0] = {
    name: file,
    timeout: Number(process.env.FILE_TIMEOUT) * 1_000,
    cb: () => import(pathToFileURL(resolve(file)).href + search),
  }
  const t: Test = new tap.Test(options)
  taps.set(OWN_TAP + search, t)
  t.on('data', chunk => process.stdout.write(chunk))
  await new Promise<void>(resolve => t.runMain(resolve))
  // A timeout that the file has set itself would go on.
  t.setTimeout(0)
  const summary = { ...t.counts.toJSON(), ok: t.passing(), processor: Number((processorTime() - before).toFixed(2)) }
  process.stdout.write(`# ${inspect(summary, { breakLength: Infinity })}\n`)
}

// Not awaited at the top: a test file imports this module through its own-tap.ts.
async function runAll () {
  let isFirst = true
  for await (const file of createInterface({ input: process.stdin })) {
    await run(file)
    // For the processes that tests start: this one, which has compiled the service by now, ends last.
    if (isFirst) flushCompileCache()
    isFirst = false
  }
  await endShared()
}
runAll()
