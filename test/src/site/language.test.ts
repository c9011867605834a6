import t from 'tap'
import { acceptedLanguage } from '../../../src/site/language.ts'

const CASES: Array<[header: string | undefined, language: string]> = [
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['fr', 'en'],
  ['de', 'de'],
  ['DE-at', 'de'],
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr,de;q=0.5', 'de'],
  ['en;q=0.2, de;q=0.7', 'de'],
  ['de;q=0', 'en'],
  ['de;q=x', 'en'],
  ['de;level=1;q=0.3,en;q=0.2', 'de'],
  ['__proto__', 'en'],
  [',;,=', 'en'],
  [`${'x,'.repeat(5_000)}de`, 'de'],
]

for (const [header, language] of CASES) {
  t.test(`Accept-Language: ${header?.slice(0, 40)} is ${language}`, async t => {
    t.equal(acceptedLanguage(header, ['en', 'de']) ?? 'en', language)
  })
}
