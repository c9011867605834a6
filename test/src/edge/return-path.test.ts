import t from 'tap'
import { returnPath } from '../../../src/edge/page-visit.ts'

const LONG = 'x'.repeat(512)
const CASES: Array<[next: string | undefined, path: string]> = [
  ['/app?a=b#part', '/app?a=b#part'],
  [`/app?a=b#${LONG}`, '/app?a=b'],
  [`/${LONG}#part`, '/home'],
  [`//evil.example#${LONG}`, '/home'],
  [undefined, '/home'],
  ['https://app.example.com/a?b=c#d', 'https://app.example.com/a?b=c#d'],
  [`https://app.example.com/${LONG}`, '/home'],
  ['https://other.example.com/', '/home'],
]

for (const [next, path] of CASES) {
  t.test(`next: ${next?.slice(0, 30)} leads to ${path}`, async t => {
    t.equal(returnPath(next, '/home', { APP_ORIGINS: ['https://app.example.com'] }), path)
  })
}
