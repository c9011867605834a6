import { existsSync, globSync, writeFileSync } from 'node:fs'

const LIBRARY = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0] ?? ''

/** Why the rows of the fault table that change the clock are skipped, or false. */
export const withoutFaketime = existsSync(LIBRARY)
  ? false
  : 'NO faketime ON THIS MACHINE (apt-get install faketime): CLOCK JUMPS WERE NOT TESTED'

/** A process started with `env` has its own wall clock, ahead of the system's by the seconds in the file. */
export function fakeClock (file: string) {
  const skew = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  skew(0)
  return {
    skew,
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
