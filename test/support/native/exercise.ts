// node exercise.ts FILE: uses a lanes.node in every way that tests know, for a run under sanitizers.
import { disagreements, loadNative, malformedHashesThatMatch, openLanes } from './agreement.ts'

const native = loadNative(process.argv[2])
const check = openLanes(native)
const call = check as (...args: unknown[]) => unknown
for (const password of [Buffer.alloc(73), Buffer.alloc(100_000), 'x', null]) {
  try {
    call(password, `$2b$04$${'.'.repeat(53)}`, 4)
  } catch {}
}
const wrong = [
  ...await disagreements(native.open(3, 4, 0), 500, () => 4),
  ...await malformedHashesThatMatch(check, 500),
]
if (wrong.length > 0) throw new Error(wrong.join('\n'))
console.log('agreed')
