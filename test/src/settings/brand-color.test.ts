import fc from 'fast-check'
import t from 'tap'
import { contrast, isColor, readableOn, textOn } from '../../../src/settings/brand-color.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`)

t.test('contrast: as defined by WCAG', async t => {
  t.equal(contrast('#000000', '#ffffff'), 21)
  t.equal(contrast('#123456', '#123456'), 1)
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
})

t.test('any brand colour: readable as text and as background', async t => {
  fc.assert(
    fc.property(
      color,
      color,
      (brand, page) => contrast(textOn(brand), brand) >= 4.5 && contrast(readableOn(brand, page), page) >= 4.5
    ),
    { numRuns: 5_000 }
  )
})

t.test('a readable colour is unchanged', async t => {
  t.equal(readableOn('#2f5bea', '#ffffff'), '#2f5bea')
  t.equal(textOn('#2f5bea'), '#ffffff')
  t.equal(textOn('#ffe600'), '#000000')
})

t.test('isColor: only #rrggbb', async t => {
  for (const value of ['#2f5bea', '#FFFFFF']) t.ok(isColor(value))
  for (const value of ['', 'red', '#fff', '#2f5bea80', '#2f5beg', '#2f5bea;}', '#2f5bea\n']) {
    t.notOk(isColor(value), value)
  }
})
