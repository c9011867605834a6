import { about, type Finding } from './finding.ts'

/** Sessions that are issued by one clock and ended by another bear a little, and no more. */
const WORTH_A_WORD = 1_000
const TOO_FAR = 5_000

/** `ask` answers in milliseconds since the epoch, at some moment between the question and its answer. */
export async function checkClock (whose: string, ask: () => Promise<number>): Promise<Finding> {
  const { ok, warning, problem } = about('clock')
  const before = Date.now()
  const theirs = await ask()
  const off = Math.max(0, before - theirs, theirs - Date.now())
  const found = `the clocks of this machine and of ${whose} are ${Math.round(off / 100) / 10} s apart`
  const advice = 'Keep the time of both with NTP: tokens would end too early, or too late.'
  if (off >= TOO_FAR) return problem(`${found}.`, advice)
  return off >= WORTH_A_WORD ? warning(`${found}.`, advice) : ok(`as that of ${whose}.`)
}
