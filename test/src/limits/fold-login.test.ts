import t from 'tap'
import { foldLogin } from '../../../src/limits/fold-login.ts'
import { createDatabase } from '../../support/build.ts'

t.test('foldLogin: equal for all that PostgreSQL takes for the same login', async t => {
  const { owner } = await createDatabase(t)
  const { rows } = await owner.query<{ upper: string, lower: string }>(`
    SELECT chr(code) AS upper, lower(chr(code)) AS lower FROM generate_series(1, 125251) AS code
    WHERE code NOT BETWEEN 55296 AND 57343 AND lower(chr(code)) <> chr(code)`)
  t.ok(rows.length >= 26, `${rows.length} letters`)
  t.strictSame(
    rows.filter(({ upper, lower }) => foldLogin(upper) !== foldLogin(lower)),
    []
  )
})

t.test('foldLogin: spellings', async t => {
  for (const same of [
    ['Ada', 'ADA', 'ada'],
    ['İvan', 'ivan'],
    ['ﬁona', 'FIONA'],
    ['ada@Example.com', 'ADA@EXAMPLE.COM'],
  ]) {
    t.equal(new Set(same.map(foldLogin)).size, 1, same.join(' '))
  }
  t.equal(new Set(['ada', 'ada1', 'ada@example.com', 'a.da', 'bda'].map(foldLogin)).size, 5)
})
