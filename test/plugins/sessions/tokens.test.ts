import { createHmac, randomUUID } from 'node:crypto'
import t from 'tap'
import { buildShared, JWT_SECRET } from '../../support/build.ts'

const HS256 = { alg: 'HS256', typ: 'JWT' }
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign (header: object, claims: unknown, secret = JWT_SECRET, hash = 'sha256'): string {
  const content = `${encode(header)}.${encode(claims)}`
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
}

const now = Math.floor(Date.now() / 1_000)
const claims = {
  userId: '1', username: 'ada', iat: now, exp: now + 900, jti: randomUUID(), sid: randomUUID(), use: 'access',
}
const token = sign(HS256, claims)

t.test('the claims of a token that the present secret or the previous one signed', async t => {
  const { app: { tokens } } = await buildShared(t)
  t.match(tokens.read(token, 'access'), claims)
  t.equal(tokens.read(token, 'refresh'), undefined, 'of the other kind')
  const other = 'another secret '.repeat(5)
  t.equal(tokens.read(sign(HS256, claims, other), 'access'), undefined)
  const { app: { tokens: rotated } } = await buildShared(t, {
    settings: { JWT_SECRET: other, JWT_SECRET_PREVIOUS: JWT_SECRET },
  })
  t.match(rotated.read(token, 'access'), claims)
  t.match(rotated.read(sign(HS256, claims, other), 'access'), claims)
})

t.test('every change of the token is refused', async t => {
  const { app: { tokens } } = await buildShared(t)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const changed = {
    'other claims': [header, encode({ ...claims, userId: '2' }), signature].join('.'),
    'no signature': [header, payload, ''].join('.'),
    'no part for a signature': [header, payload].join('.'),
    'a shorter signature': token.slice(0, -2),
    'a longer signature': `${token}AAAA`,
    'a fourth part': `${token}.${signature}`,
    nothing: '',
    'the header alone': `${header}.`,
  }
  for (const [name, text] of Object.entries(changed)) t.equal(tokens.read(text, 'access'), undefined, name)
})

t.test('HS256 only, even with the right secret', async t => {
  const { app: { tokens } } = await buildShared(t)
  for (const [header, hash] of [
    [{ alg: 'none', typ: 'JWT' }, 'sha256'],
    [{ alg: 'HS512', typ: 'JWT' }, 'sha512'],
    [{ alg: 'HS256', typ: 'JWT', crit: ['b64'] }, 'sha256'],
  ] as const) {
    t.equal(tokens.read(sign(header, claims, JWT_SECRET, hash), 'access'), undefined, header.alg)
  }
  t.equal(tokens.read(`${encode({ alg: 'none' })}.${encode(claims)}.`, 'access'), undefined)
})

t.test('claims that are missing, of the wrong type, expired or not valid yet', async t => {
  const { app: { tokens } } = await buildShared(t)
  for (const name of Object.keys(claims)) {
    const { [name as keyof typeof claims]: _, ...rest } = claims
    t.equal(tokens.read(sign(HS256, rest), 'access'), undefined, `without ${name}`)
  }
  for (const wrong of [
    { ...claims, exp: now - 1 }, { ...claims, exp: String(now + 900) }, { ...claims, exp: null },
    { ...claims, nbf: now + 60 }, { ...claims, nbf: String(now - 1) }, null, 'text', 1,
  ]) {
    t.equal(tokens.read(sign(HS256, wrong), 'access'), undefined, JSON.stringify(wrong))
  }
  t.ok(tokens.read(sign(HS256, { ...claims, nbf: now - 1 }), 'access'))
})
