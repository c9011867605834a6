import { globSync, readFileSync, statSync } from 'node:fs'

export interface Suite {
  /** For `npm test -- --list`. */
  about: string
  files: string[]
  /** Test files that run at once; without it, one more than there are processors. */
  jobs?: number
}

const find = (...patterns: string[]) => globSync(patterns).sort()

/** These take minutes, or a browser: each is a suite of its own. */
const APART = /^test\/(attacks|pages|src\/cli)\//

/** What `npm test -- NAME` runs. Without a name it is `quick`. */
export function findSuites (): Record<string, Suite> {
  return {
    quick: {
      about: 'routes, plugins, src, demo, documentation, short fault history',
      files: find('test/**/*.test.ts').filter(file => !APART.test(file)),
    },
    pages: { about: 'the hosted pages in Chromium', files: find('test/pages/*.test.ts') },
    cli: { about: 'the command line', files: find('test/src/cli/*.test.ts') },
    attacks: {
      about: 'hostile requests, sqlmap, slow clients; FUZZ_SEED and FUZZ_PATH repeat a failure',
      files: find('test/attacks/*.test.ts', 'test/attacks/*.long.ts'),
      jobs: 2,
    },
    faults: {
      about: 'crashes and network faults during sign-ins; FAULT_SEED, FAULT_STEPS',
      files: ['test/faults/history.long.ts', 'test/faults/fault-table.long.ts'],
      jobs: 1,
    },
    native: {
      about: 'bcrypt in lanes: ten thousand passwords, AddressSanitizer, UBSan',
      files: find('test/native/*.long.ts'),
      jobs: 1,
    },
    soak: { about: 'ten minutes of traffic, or SOAK_SECONDS', files: ['test/faults/soak.long.ts'] },
    deploy: {
      about: 'nginx and Caddy with TLS, rolling restarts, the install of the image',
      files: find('test/deploy/*.long.ts'),
      jobs: 2,
    },
    timing: {
      about: 'whether response times reveal that an account exists',
      files: find('test/timing/*.long.ts'),
      jobs: 1,
    },
  }
}

export const DURATIONS = 'test/support/durations.json'

/** The longest first, so that none is left to run alone at the end. Files without a record: by their size. */
export function longestFirst (files: string[]): string[] {
  const seconds: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'))
  const expected = (file: string) => seconds[file] ?? statSync(file).size / 1_000
  return files.toSorted((a, b) => expected(b) - expected(a))
}
