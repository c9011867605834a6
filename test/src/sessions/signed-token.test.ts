import { createHmac } from 'node:crypto'
import t from 'tap'
import { isCurrent, readSigned } from '../../../src/sessions/signed-token.ts'

const HS256 = { alg: 'HS256', typ: 'JWT' }
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign (header: object, claims: unknown, secret: string, hash = 'sha256'): string {
  const content = `${encode(header)}.${encode(claims)}`
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
}

const token = sign(HS256, { userId: '1' }, 'present')

t.test('the claims of a token that one of the secrets signed', async t => {
  t.strictSame(readSigned(token, ['present']), { userId: '1' })
  t.strictSame(readSigned(token, ['next', 'present']), { userId: '1' })
  t.equal(readSigned(token, ['next', 'other']), undefined)
})

t.test('every change of the text is refused', async t => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const changed = {
    'other claims': [header, encode({ userId: '2' }), signature].join('.'),
    'no signature': [header, payload, ''].join('.'),
    'no part for a signature': [header, payload].join('.'),
    'a shorter signature': token.slice(0, -1),
    'a longer signature': `${token}A`,
    'padding, which decodes to the same signature': `${token}=`,
    // The last character has two unused bits.
    'another text of the same signature': token.slice(0, -1) + nextCharacter(token.at(-1) as string),
    'a fourth part': `${token}.${signature}`,
    'a space': ` ${token}`,
    nothing: '',
    'the header alone': `${header}.`,
  }
  for (const [name, text] of Object.entries(changed)) t.equal(readSigned(text, ['present']), undefined, name)
})

t.test('HS256 only, even with the right secret', async t => {
  for (const [header, hash] of [
    [{ alg: 'none', typ: 'JWT' }, 'sha256'],
    [{ alg: 'HS512', typ: 'JWT' }, 'sha512'],
    [{ alg: 'HS256', typ: 'JWT', crit: ['b64'] }, 'sha256'],
  ] as const) {
    t.equal(readSigned(sign(header, { userId: '1' }, 'present', hash), ['present']), undefined, header.alg)
  }
  t.equal(readSigned(`${encode({ alg: 'none' })}.${encode({ userId: '1' })}.`, ['present']), undefined)
})

t.test('claims that are no object', async t => {
  for (const claims of [null, 'text', 1]) t.equal(readSigned(sign(HS256, claims, 'present'), ['present']), undefined)
})

t.test('a token is valid from nbf, if it has one, until exp', async t => {
  for (const [claims, expected] of [
    [{ exp: 101 }, true],
    [{ exp: 101, nbf: 100 }, true],
    [{ exp: 100 }, false],
    [{ exp: 101, nbf: 101 }, false],
    [{ exp: '101' }, false],
    [{ exp: null }, false],
    [{ exp: 101, nbf: '1' }, false],
    [{}, false],
  ] as const) {
    t.equal(isCurrent(claims, 100), expected, JSON.stringify(claims))
  }
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function nextCharacter (character: string): string {
  return ALPHABET[ALPHABET.indexOf(character) ^ 1] as string
}
