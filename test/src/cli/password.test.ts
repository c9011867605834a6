import bcrypt from 'bcrypt'
import t from 'tap'
import { gatehouse } from '../../support/process.ts'

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
  const [json, plain] = await Promise.all(
    [
      ['--target', '1', '--json'],
      ['--target', '1'],
    ].map(args => gatehouse(['password', 'calibrate', ...args]).ended)
  )
  const { cost, measured, setting } = JSON.parse(json?.stdout ?? '')
  t.match({ cost, setting }, { cost: 10, setting: 'BCRYPT_COST=10' }, 'never below the minimum')
  t.equal(measured.length, 1, 'measures no more than needed')
  t.match(plain, { code: 0, stdout: /longer than 1 ms on this machine.*\nBCRYPT_COST=10\n/ })
  t.match(plain?.stdout, /\nThis is below the default of 12: stolen hashes can be guessed 4 times as fast\. .*\n$/)
})

t.test('password calibrate: says so if, and only if, the cost is below the default', async t => {
  // The default of 12 takes four times as long.
  const target = Math.ceil(await lowestCost() * 5)
  const { stdout } = await gatehouse(['password', 'calibrate', '--target', String(target)]).ended
  const cost = Number(/^BCRYPT_COST=(\d+)$/m.exec(stdout)?.[1])
  t.equal(stdout.includes('This is below the default of 12'), cost < 12, stdout)
})

t.test('password calibrate: the highest cost within the target', async t => {
  const limit = Math.ceil(await lowestCost() * 3)
  const { stdout } = await gatehouse(['password', 'calibrate', '--target', String(limit), '--json']).ended
  const { target, measured, cost } = JSON.parse(stdout)
  t.ok(measured.length >= 1 && measured.every(({ ms }: { ms: number }) => ms > 1))
  t.ok(measured.at(-1).ms > target || measured.at(-1).cost === 15, 'measured until one was too slow')
  t.equal(
    cost,
    Math.max(
      10,
      ...measured.filter(({ ms }: { ms: number }) => ms <= target).map((each: { cost: number }) => each.cost)
    )
  )
})
