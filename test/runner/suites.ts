import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'

interface Suite {
  /** For `npm test -- --list`. */
  about: string
  files: string[]
}

/** Files that run at the same time. */
export interface Batch {
  files: string[]
  jobs: number
  /** Files that mostly wait: two more processes begin with them and then help with the others. */
  beside: string[]
  /** Files that need a quiet machine: they have a higher priority than all others. */
  ahead: string[]
}

const find = (...patterns: string[]) => globSync(patterns).sort()

/** These take minutes, or a browser: each is a suite of its own. */
const APART = /^test\/(attacks|pages|engines|src\/cli)\//

/** What `npm test -- NAME` runs. Without a name it is `quick`. */
export function findSuites (): Record<string, Suite> {
  return {
    quick: {
      about: 'routes, plugins, src, demo, documentation, short fault history',
      files: find('test/**/*.test.ts').filter(file => !APART.test(file)),
    },
    pages: {
      about: 'the hosted pages in Chromium',
      files: find('test/pages/*.test.ts', 'test/engines/chromium.test.ts'),
    },
    engines: {
      about: 'the hosted pages in Firefox and WebKit',
      files: ['test/engines/firefox.test.ts', 'test/engines/webkit.test.ts'],
    },
    cli: { about: 'the command line', files: find('test/src/cli/*.test.ts') },
    attacks: {
      about: 'hostile requests, sqlmap, slow clients; FUZZ_SEED and FUZZ_PATH repeat a failure',
      files: find('test/attacks/*.test.ts', 'test/attacks/*.long.ts'),
    },
    faults: {
      about: 'crashes and network faults during sign-ins; FAULT_SEED, FAULT_STEPS',
      files: find('test/faults/*.long.ts').filter(file => !file.includes('soak')),
    },
    native: {
      about: 'bcrypt in lanes: thousands of passwords, AddressSanitizer, UBSan',
      files: find('test/native/*.long.ts'),
    },
    soak: { about: 'ten minutes of traffic, or SOAK_SECONDS', files: ['test/faults/soak.long.ts'] },
    deploy: {
      about: 'nginx and Caddy with TLS, rolling restarts, the install of the image',
      files: find('test/deploy/*.long.ts'),
    },
    timing: {
      about: 'whether response times reveal that an account exists',
      files: find('test/timing/*.long.ts'),
    },
  }
}

/** They wait for downloads, for mails that are retried, for keys that rotate, for an outage or for slow clients. */
const WAITING = new RegExp([
  'production-install',
  'faults/(history|revocations|openid-outage)',
  'signing-keys-load',
  'attacks/slow-clients',
  '/(jobs|redis-topologies).test',
].join('|'))
/** They check times or memory, or put a load on the service themselves: a busy machine would change the result. */
const QUIET = /fault-table|failover-table|switchover|rolling-restart|soak|attacks\/sqlmap|timing\/lanes/
/** They compare response times. Those of timing/lanes are processor times, which others change little. */
const ALONE = /test\/timing\/(?!lanes)/
/** Most of a test's time is waiting: for a process to start, a lock to be released, a page to load. */
const DEFAULT_JOBS = availableParallelism() + 1

/** Most files run together. Those that compare response times come after them. */
export function batchesOf (files: string[], jobs = DEFAULT_JOBS): Batch[] {
  const left = new Set(files)
  const take = (pattern: RegExp) => {
    const taken = [...left].filter(file => pattern.test(file))
    for (const file of taken) left.delete(file)
    return largestFirst(taken)
  }
  const alone = { files: take(ALONE), beside: [], ahead: [], jobs: 1 }
  const [ahead, beside] = [take(QUIET), take(WAITING)]
  return [{ files: take(/./), beside, ahead, jobs }, alone]
}

/** The largest first, so that no long one is left to run alone at the end. */
function largestFirst (files: string[]): string[] {
  return files.toSorted((a, b) => statSync(b).size - statSync(a).size)
}
