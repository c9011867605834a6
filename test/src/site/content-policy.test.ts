import t from 'tap'
import { docsPolicy, pagePolicy } from '../../../src/site/content-policy.ts'

const STRICT = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
]
const TRUSTED_TYPES = ["require-trusted-types-for 'script'", "trusted-types 'none'"]

const LOGOS: Array<[logo: string, images: string]> = [
  ['/gatehouse/icon.svg', "img-src 'self'"],
  ['https://cdn.example.com/a/logo.svg?x=1;y', "img-src 'self' https://cdn.example.com"],
]

for (const [logo, images] of LOGOS) {
  t.test(`policy of the pages with the logo ${logo}`, async t => {
    t.strictSame(pagePolicy(logo).split('; '), [...STRICT, images, ...TRUSTED_TYPES])
  })
}

t.test('policy of /docs: images from data', async t => {
  t.strictSame(docsPolicy().split('; '), [...STRICT, "img-src 'self' data:"])
})
