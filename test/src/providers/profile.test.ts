import t from 'tap'
import { profileOf } from '../../../src/providers/profile.ts'

const ENTRA = 'https://login.microsoftonline.com/9f1c2d3e-0000-4000-8000-000000000000/v2.0'
const claims = (more: object) => ({ sub: '7', email: 'ada@example.org', ...more })

t.test('Entra ID: an address counts if its domain was verified (xms_edov)', async t => {
  for (const yes of [true, 'true', 1, '1']) {
    t.equal(profileOf(claims({ xms_edov: yes }), ENTRA).email, 'ada@example.org', String(yes))
  }
  for (const no of [undefined, false, 'false', 0, '0', null, {}, [true]]) {
    t.equal(profileOf(claims({ xms_edov: no }), ENTRA).email, undefined, JSON.stringify(no))
  }
  t.equal(profileOf(claims({ xms_edov: true, email_verified: false }), ENTRA).email, undefined)
})

t.test('xms_edov of any other issuer counts for nothing', async t => {
  for (const issuer of [undefined, 'https://gitlab.com', 'https://login.microsoftonline.com.evil.example/v2.0']) {
    t.equal(profileOf(claims({ xms_edov: true }), issuer).email, undefined, String(issuer))
  }
})
