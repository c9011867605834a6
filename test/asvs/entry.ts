export type Status = 'shown' | 'deployment' | 'not applicable' | 'not met'

export interface Entry {
  status: Status
  /** The requirement in a few words. */
  what: string
  why?: string
  /** `path#words`: the path below test/, and words that one title in it has. */
  tests: string[]
}

/** By id. */
export type Chapter = Record<string, Entry>

export const shown = (what: string, ...tests: string[]): Entry => ({ status: 'shown', what, tests })

/** Met by whoever runs the service; what we can show of it, tests show. */
export const deployment = (what: string, why: string, ...tests: string[]): Entry => ({
  status: 'deployment',
  what,
  why,
  tests,
})

export const notApplicable = (what: string, why: string): Entry => ({
  status: 'not applicable',
  what,
  why,
  tests: [],
})

export const notMet = (what: string, why: string, ...tests: string[]): Entry => ({
  status: 'not met',
  what,
  why,
  tests,
})
