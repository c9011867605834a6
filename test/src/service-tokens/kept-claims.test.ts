import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createKeptClaims } from '../../../src/service-tokens/kept-claims.ts'

/** Reads that end when the test says so. */
function setUp (lifetime = 900) {
  const reads: Array<PromiseWithResolvers<string>> = []
  const claims = createKeptClaims({
    read () {
      const reading = Promise.withResolvers<string>()
      reads.push(reading)
      return reading.promise
    },
    maxAccounts: 10,
    lifetime,
  })
  const end = (index: number, value: string) => reads[index]?.resolve(value)
  return { claims, reads, count: () => reads.length, end }
}

t.test('one read for all that ask at once, then none until it has changed', async t => {
  const { claims, count, end } = setUp()
  t.equal(claims.known('1'), undefined)
  const answers = [claims.read('1'), claims.read('1')]
  end(0, 'old')
  t.strictSame(await Promise.all(answers), ['old', 'old'])
  t.equal(claims.known('1'), 'old')
  t.equal(claims.known('2'), undefined)
  claims.forget('1')
  t.equal(claims.known('1'), undefined)
  t.equal(count(), 1)
})

t.test('a change that is announced while it is read: that value is not kept', async t => {
  const { claims, count, end } = setUp()
  const before = claims.read('1')
  claims.forget('1')
  const after = claims.read('1')
  if (!t.equal(count(), 2, 'read again')) return
  end(1, 'new')
  t.equal(await after, 'new')
  end(0, 'old')
  t.equal(await before, 'old')
  t.equal(claims.known('1'), 'new')
})

t.test('changes may have been missed: nothing is kept, nor what is being read', async t => {
  const { claims, end } = setUp()
  const reading = claims.read('1')
  end(0, 'one')
  await reading
  const before = claims.read('2')
  claims.forget()
  end(1, 'two')
  t.equal(await before, 'two')
  for (const id of ['1', '2']) t.equal(claims.known(id), undefined)
})

t.test('a failed read is not kept', async t => {
  const { claims, reads, end } = setUp()
  const failing = claims.read('1')
  reads[0]?.reject(new Error('away'))
  await t.rejects(failing, { message: 'away' })
  const next = claims.read('1')
  end(1, 'new')
  t.equal(await next, 'new')
})

t.test('not kept for longer than its lifetime', async t => {
  const { claims, end } = setUp(0)
  const reading = claims.read('1')
  end(0, 'old')
  await reading
  await turn()
  t.equal(claims.known('1'), undefined)
})
