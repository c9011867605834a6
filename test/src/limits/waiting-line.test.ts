import t from 'tap'
import { Overloaded } from '../../../src/errors.ts'
import { createWaitingLine } from '../../../src/limits/waiting-line.ts'

/** A line in which the key `free` gets a value at once, and all other keys when they are opened. */
function createLine () {
  const open = new Set(['free'])
  const abandoned: string[] = []
  const line = createWaitingLine<string>({
    attempt: async key => open.has(key) ? key : undefined,
    abandon: async value => { abandoned.push(value) },
  })
  return { line, open, abandoned }
}

const forever = () => new AbortController().signal

t.test('waiting line: first come, first served', async t => {
  const { line, open } = createLine()
  const order: number[] = []
  const waiting = [1, 2, 3].map(async number => {
    await line.wait('a', forever())
    order.push(number)
  })
  open.add('a')
  line.wake('a')
  await Promise.all(waiting)
  t.strictSame(order, [1, 2, 3])
})

t.test('waiting line: one that gives up leaves, the others stay', async t => {
  const { line, open } = createLine()
  const gone = new AbortController()
  const first = line.wait('a', gone.signal)
  const second = line.wait('a', forever())
  gone.abort()
  await t.rejects(first, Overloaded)
  open.add('a')
  line.wake('a')
  t.equal(await second, 'a')
  await t.rejects(line.wait('b', AbortSignal.abort()), Overloaded)
})

t.test('waiting line: an error of the attempt refuses all that wait', async t => {
  const line = createWaitingLine<string>({
    attempt: async () => { throw new Error('refused') },
    abandon: async () => {},
  })
  const refused = await Promise.allSettled([line.wait('a', forever()), line.wait('a', forever())])
  t.strictSame(refused.map(({ status }) => status), ['rejected', 'rejected'])
})

t.test('waiting line: with 2,000 waiting, only those that would have to wait are refused', async t => {
  const { line } = createLine()
  const leave = new AbortController()
  const waiting = Array.from({ length: 2_000 }, (_, index) => line.wait(`key${index % 8}`, leave.signal))
  await t.rejects(line.wait('key0', forever()), Overloaded)
  t.equal(await line.wait('free', forever()), 'free')
  leave.abort()
  for (const { status } of await Promise.allSettled(waiting)) if (status !== 'rejected') t.fail('none of them started')
})
