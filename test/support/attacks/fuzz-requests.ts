import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from '../../../src/site/openapi.ts'
import { PASSWORD } from '../browser.ts'
import type { DocumentedOperation } from '../contract.ts'
import { CANARY, headerValue, hostileString, hostileValue, marked } from './hostile-strings.ts'

export type Whose = 'nobody' | 'somebody' | 'swapped' | 'doubled' | 'garbage'

export interface FuzzRequest {
  operationId: string
  method: string
  path: string
  headers: Record<string, string>
  /** Each character stands for one byte. */
  body: string | undefined
  /** The session is inserted when the request is sent: by then it may have ended. */
  session: Whose
  csrf: boolean
}

type Entries = Array<[name: string, value: unknown]>

const bytes = (text: string) => Buffer.from(text).toString('latin1')
/** Built as text, since an object cannot hold a name twice, nor simply `__proto__`. */
const jsonOf = (entries: Entries) =>
  bytes(`{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`)

/** Values that sometimes pass the schema. */
const KNOWN: Record<string, string> = {
  username: 'fuzz-known',
  email: 'fuzz-known@example.com',
  password: PASSWORD,
  current: PASSWORD,
  audience: 'orders',
}

function validValue (name: string, { format, pattern, minLength = 0, maxLength = 24 }: Schema): Arbitrary<unknown> {
  const length = { minLength, maxLength: Math.min(maxLength, 24) }
  const any =
    format === 'email'
      ? fc.emailAddress()
      : pattern?.startsWith('^[^') === false
        ? fc.stringMatching(new RegExp(pattern))
        : fc.string({ unit: 'grapheme-composite', ...length })
  const known = KNOWN[name]
  return known ? fc.oneof(fc.constant(known), any) : any
}

function validEntries ({ properties = {}, required = [] }: Schema): Arbitrary<Entries> {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fc
      .tuple(validValue(name, schema), fc.boolean())
      .map(([value, given]): Entries => (given || required.includes(name) ? [[name, value]] : []))
  )
  return fc.tuple(...fields).map(entries => entries.flat())
}

const pick = <T>(values: T[]) => fc.nat({ max: Math.max(0, values.length - 1) })

/** A body with exactly one fault. */
function nearlyValid (entries: Entries): Arbitrary<Entries> {
  return fc
    .tuple(
      pick(entries),
      hostileValue,
      fc.constantFrom('admin', 'id', '__proto__', 'constructor', 'toString', ''),
      fc.constantFrom('replace', 'drop', 'repeat', 'add')
    )
    .map(([at, value, extra, how]) => {
      const [name = 'x'] = entries[at] ?? []
      if (how === 'add') return [...entries, [extra, value]]
      if (how === 'repeat') return [...entries, [name, marked(name, value)]]
      return how === 'drop' ? entries.toSpliced(at, 1) : entries.toSpliced(at, 1, [name, marked(name, value)])
    })
}

const BROKEN = [
  '',
  '{',
  '[',
  '"',
  'nul',
  '[]',
  'null',
  '0',
  '""',
  '{}{}',
  '{"a":1,}',
  '\u00ef\u00bb\u00bf{}',
  '\u00ff\u00fe{\u0000}\u0000',
  '{"a":"\u00c3\u0028"}',
  '{"a":"\\ud800"}',
  '{"a":1e999}',
  `{"a":${'9'.repeat(400)}}`,
  '['.repeat(4_000),
  '{"a":'.repeat(2_000),
  `{"a":"${'x'.repeat(20_000)}"}`,
  '\u0000',
  '<a/>',
  'a=b&c=d',
  '{"\\u005f_proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
]

function brokenText (text: string): Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...BROKEN),
    fc.nat({ max: text.length }).map(end => text.slice(0, end)),
    fc
      .tuple(fc.nat({ max: text.length }), fc.integer({ min: 0, max: 255 }))
      .map(([at, byte]) => text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + 1)),
    hostileValue.map(value => bytes(JSON.stringify(value)))
  )
}

function bodyOf ({ requestBody }: DocumentedOperation): Arbitrary<string | undefined> {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, brokenText('{}'))
  return validEntries(schema).chain(entries =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(jsonOf(entries)) },
      { weight: 5, arbitrary: nearlyValid(entries).map(jsonOf) },
      { weight: 2, arbitrary: brokenText(jsonOf(entries)) },
      fc.constant(undefined)
    )
  )
}

const contentType = fc.oneof(
  { weight: 9, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/json;',
    'application/merge-patch+json',
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'x',
    '/',
    ';',
    ''
  ),
  headerValue
)

const GARBAGE_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-language',
  'forwarded',
  'if-none-match',
  'origin',
  'purpose',
  'range',
  'referer',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-purpose',
  'te',
  'user-agent',
  'via',
  'x-csrf-token',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-method',
  'x-forwarded-proto',
  'x-forwarded-uri',
  'x-http-method-override',
  'x-request-id',
]
const MEANT_HEADERS: Array<Record<string, string>> = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin' },
  { origin: 'null' },
  { origin: 'https://elsewhere.example' },
  { 'content-encoding': 'gzip' },
  { expect: '100-continue' },
  { expect: 'nonsense' },
  { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  { 'sec-purpose': 'prefetch' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { upgrade: 'websocket', connection: 'upgrade' },
  { authorization: `Bearer ${CANARY}` },
  { 'x-csrf-token': CANARY },
]

const extraHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...GARBAGE_HEADERS), headerValue, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(...MEANT_HEADERS) }
)

const RAW_SEGMENTS = [
  '',
  '.',
  '..',
  '%',
  '%zz',
  '%ff',
  '%00',
  '%2f',
  '%2e%2e',
  'a/b',
  '*',
  ';',
  ':id',
  'x'.repeat(101),
  'x'.repeat(3_000),
]

function segment (schema: Schema): Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.constant('x') },
    { weight: 1, arbitrary: fc.constant('first') },
    { weight: 2, arbitrary: hostileString.map(value => encodeURIComponent(value.toWellFormed())) },
    fc.constantFrom(...RAW_SEGMENTS)
  )
}

function pathOf ({ path, parameters = [] }: DocumentedOperation): Arbitrary<string> {
  const segments = parameters.filter(({ in: place }) => place === 'path')
  return fc
    .tuple(...segments.map(({ schema }) => segment(schema)))
    .map(values =>
      segments.reduce((filled, { name }, index) => filled.replace(`{${name}}`, () => values[index] as string), path)
    )
}

function queryOf ({ parameters = [] }: DocumentedOperation): Arbitrary<string> {
  const names = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  const pair = fc
    .tuple(
      fc.constantFrom(...names, 'x', '__proto__', 'a[b]', 'redirect'),
      fc.oneof(hostileString, fc.constant('redirect'))
    )
    .map(([name, value]) => `${name}=${encodeURIComponent(String(marked(name, value)).toWellFormed())}`)
  return fc.oneof(
    { weight: names.length > 0 ? 1 : 6, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.array(pair, { maxLength: 4 }).map(pairs => `?${pairs.join('&')}`) },
    fc.constantFrom('?', '?&&', '?=', '?%', '?%ff=%fe', '?a=1&a=2', '?code=1&code=2&state[]=x')
  )
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Valid to hostile requests to one route. */
function requestTo (operation: DocumentedOperation, path = pathOf(operation)): Arbitrary<FuzzRequest> {
  return fc
    .record({
      method: fc.oneof({ weight: 24, arbitrary: fc.constant(operation.method) }, fc.constantFrom(...METHODS)),
      path,
      query: queryOf(operation),
      body: bodyOf(operation),
      type: contentType,
      extra: extraHeaders,
      session: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Whose>('somebody') },
        fc.constantFrom<Whose>('nobody', 'nobody', 'swapped', 'doubled', 'garbage')
      ),
      csrf: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    })
    .map(({ query, path, type, extra, ...request }) => ({
      ...request,
      operationId: operation.operationId,
      path: path + query,
      headers: { ...(request.body === undefined ? {} : { 'content-type': type }), ...extra },
    }))
}

const ADDRESSES = [
  '/',
  '//',
  '/nowhere',
  '/api',
  '/api/auth//me',
  '/LOGIN',
  '/login/',
  '/%6cogin',
  '/gatehouse/',
  '/gatehouse/style.css',
  '/gatehouse/texts/en.js',
  '/gatehouse/../package.json',
  '*',
  'http://elsewhere.example/login',
]

/** Undocumented paths. */
const anyAddress = fc.oneof(
  fc.constantFrom(...ADDRESSES),
  segment({}).map(name => `/gatehouse/${name}`),
  segment({}).map(name => `/${name}`)
)

/** Routes with more inputs get more requests. */
export function anyRequest (operations: DocumentedOperation[]): Arbitrary<FuzzRequest> {
  const weighted = operations.map(operation => ({
    weight: operation.requestBody ? 5 : operation.parameters ? 4 : 1,
    arbitrary: requestTo(operation),
  }))
  return fc.oneof(...weighted, {
    weight: 3,
    arbitrary: fc.constantFrom(...operations).chain(operation => requestTo(operation, anyAddress)),
  })
}
