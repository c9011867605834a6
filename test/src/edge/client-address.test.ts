import fc from 'fast-check'
import t from 'tap'
import { clientGroup, plainAddress } from '../../../src/edge/client-address.ts'

const PLAIN: Array<[given: string | undefined, plain: string, group: string]> = [
  ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['0000:0000:0000:0000:0000:FFFF:C000:0207', '192.0.2.7', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:DB8:1:2::', '2001:db8:1:2::', '2001:db8:1:2::'],
  ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::9', '2001:db8:1:2::'],
  ['[2001:db8:1:2::9]:50123', '2001:db8:1:2::9', '2001:db8:1:2::'],
  ['2001:db8:1:3::9', '2001:db8:1:3::9', '2001:db8:1:3::'],
  ['2001:db8::1', '2001:db8::1', '2001:db8::'],
  ['fe80::1%eth0', 'fe80::1', 'fe80::'],
  ['::1', '::1', '::'],
  // What a front end that does not set the header may pass on.
  [undefined, '::', '::'],
  ['', '::', '::'],
  ['unknown', '::', '::'],
  ['192.0.2.7.8', '::', '::'],
  ['192.0.2.7, 192.0.2.8', '::', '::'],
  ['2001:db8::1::2', '::', '::'],
  ["1.2.3.4'; DROP TABLE users", '::', '::'],
]

for (const [given, plain, group] of PLAIN) {
  t.test(`${given}: stored as ${plain}, counted as ${group}`, async t => {
    t.equal(plainAddress(given), plain)
    t.equal(clientGroup(given), group)
  })
}

/** Every notation of the same eight groups. */
const written = (groups: number[]) =>
  fc
    .record({
      padded: fc.boolean(),
      upper: fc.boolean(),
      dotted: fc.boolean(),
      from: fc.nat(7),
      length: fc.nat(8),
    })
    .map(({ padded, upper, dotted, from, length }) => {
      const texts = groups.map(group => group.toString(16).padStart(padded ? 4 : 1, '0'))
      if (dotted) {
        texts.splice(
          6,
          2,
          groups
            .slice(6)
            .flatMap(group => [group >> 8, group & 255])
            .join('.')
        )
      }
      const run = groups.slice(from, from + length)
      const shortens =
        length >= 1 && run.length === length && run.every(group => group === 0) && !(dotted && from + length > 6)
      const text = shortens
        ? `${texts.slice(0, from).join(':')}::${texts.slice(from + length).join(':')}`
        : texts.join(':')
      return upper ? text.toUpperCase() : text
    })

t.test('an IPv6 address in any notation, and its whole /64, is one client', async t => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff))
  const groups = fc.array(group, { minLength: 8, maxLength: 8 })
  const property = () => fc.assert(
    fc.property(
      groups.chain(each => fc.tuple(fc.constant(each), written(each), written([...each.slice(0, 4), 1, 2, 3, 4]))),
      ([each, one, neighbour]) => {
        const mapped = each.slice(0, 5).every(group => group === 0) && each[5] === 0xffff
        if (mapped) return
        const expected = clientGroup(each.map(group => group.toString(16)).join(':'))
        return clientGroup(one) === expected && clientGroup(neighbour) === expected
      }
    ),
    { numRuns: 2_000 }
  )
  t.doesNotThrow(property)
})

t.test('another /64 is another client', async t => {
  const half = fc
    .array(fc.nat(0xffff), { minLength: 4, maxLength: 4 })
    .map(each => each.map(group => group.toString(16)).join(':'))
  const property = () => fc.assert(
    fc.property(half, half, (one, other) => one === other || clientGroup(`${one}::1`) !== clientGroup(`${other}::1`)),
    { numRuns: 1_000 }
  )
  t.doesNotThrow(property)
})
