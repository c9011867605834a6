/** What is counted: sign-ins by method, and attempts that failed. */
export const SIGN_INS = ['password', 'passkey', 'provider', 'mail'] as const
export const FAILURES = ['firstStep', 'secondFactor', 'provider'] as const

export type Size = 'minute' | 'hour' | 'day'
/** `kind` is `sign_in:password` or `failure:secondFactor`, and so on. */
export interface SignInCount { at: Date, kind: string, count: number }

type Counts<Name extends string> = Record<Name, number>
export interface Bucket {
  at: Date
  signIns: Counts<typeof SIGN_INS[number]>
  failures: Counts<typeof FAILURES[number]>
}

const LENGTHS: Record<Size, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** When the oldest of so many buckets begins, if the newest is that of now. */
export function startOf (size: Size, buckets: number, now: number): Date {
  return new Date((Math.floor(now / LENGTHS[size]) - buckets + 1) * LENGTHS[size])
}

/** One bucket for each minute, hour or day of UTC, also where nothing happened. */
export function seriesOf (counts: SignInCount[], size: Size, buckets: number, now: number): Bucket[] {
  const found = new Map(counts.map(({ at, kind, count }) => [`${at.getTime()} ${kind}`, count]))
  const start = startOf(size, buckets, now).getTime()
  return Array.from({ length: buckets }, (_, index) => {
    const time = start + index * LENGTHS[size]
    const countsOf = <Name extends string>(group: string, names: readonly Name[]) => Object.fromEntries(
      names.map(name => [name, found.get(`${time} ${group}:${name}`) ?? 0])) as Counts<Name>
    return { at: new Date(time), signIns: countsOf('sign_in', SIGN_INS), failures: countsOf('failure', FAILURES) }
  })
}
