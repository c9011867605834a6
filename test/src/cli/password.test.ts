import bcrypt from 'bcrypt'
import t from 'tap'
import { load, runOne } from '../../../src/cli/commands.ts'
import { runWith } from '../../support/cli/in-process.ts'

interface Measured { cost: number, ms: number }

/** How long the lowest cost takes here: the fastest of three, as the command measures it. */
async function lowestCost (): Promise<number> {
  let fastest = Infinity
  for (let sample = 0; sample < 3; sample++) {
    const start = performance.now()
    await bcrypt.hash('x', 10)
    fastest = Math.min(fastest, performance.now() - start)
  }
  return fastest
}

t.test('password calibrate: prints the setting, also on a slow machine (0)', async t => {
  const args = ['password', 'calibrate', '--target', '1']
  const [json, plain] = [await runWith({}, [...args, '--json']), await runWith({}, args)]
  const { cost, measured, setting } = JSON.parse(json.stdout)
  t.match({ cost, setting }, { cost: 10, setting: 'BCRYPT_COST=10' }, 'never below the minimum')
  t.equal(measured.length, 1, 'measures no more than needed')
  t.match(plain, { code: 0, stdout: /longer than 1 ms on this machine.*\nBCRYPT_COST=10\n/ })
  t.match(plain.stdout, /\nThis is below the default of 12: stolen hashes can be guessed 4 times as fast\. .*\n$/)
})

t.test('password calibrate', async t => {
  // The default of 12 takes four times as long.
  const limit = Math.ceil(await lowestCost() * 5)
  const outcome = await runOne(await load('password'), ['calibrate', '--target', String(limit)])
  const { data, text } = outcome as { data: { target: number, measured: Measured[], cost: number }, text: string }

  t.test('password calibrate: says so if, and only if, the cost is below the default', async t => {
    const cost = Number(/^BCRYPT_COST=(\d+)$/m.exec(text)?.[1])
    t.equal(text.includes('This is below the default of 12'), cost < 12, text)
  })

  t.test('password calibrate: the highest cost within the target', async t => {
    const { target, measured, cost } = data
    t.ok(measured.length >= 1 && measured.every(({ ms }) => ms > 1))
    t.ok(Number(measured.at(-1)?.ms) > target || measured.at(-1)?.cost === 15, 'measured until one was too slow')
    t.equal(cost, Math.max(10, ...measured.filter(({ ms }) => ms <= target).map(each => each.cost)))
  })
})
