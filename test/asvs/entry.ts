export type Status = 'shown' | 'deployment' | 'not applicable' | 'not met'

export interface Entry {
  status: Status
  /** The requirement in a few words. */
  what: string
  why?: string
  /** `path#words`: the path below test/, and words that occur in one title of that file. */
  tests: string[]
}

/** Entries by the id of the requirement. */
export type Chapter = Record<string, Entry>

export const shown = (what: string, ...tests: string[]): Entry => ({ status: 'shown', what, tests })

/** Met by those who deploy the service; tests show what the project contributes. */
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
