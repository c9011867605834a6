import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { operationsOf, type OpenApi } from '../../src/site/openapi.ts'

export interface Answer {
  statusCode: number
  headers: Record<string, string | number | string[] | undefined>
  body: string
}

export type DocumentedOperation = ReturnType<typeof operationsOf>[number]

const pointer = (...steps: string[]) =>
  `openapi.json#/${steps.map(step => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)

/** `/%6cogin?x` is `/login`, and so is `http://any.example/login`. */
function pathIn (url: string): string {
  const [path = ''] = url.replace(/^http:\/\/[^/]*/, '').split('?')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Instead of the documented JSON, for a request that looks like a browser's navigation. */
const isErrorPage = ({ statusCode, headers, body }: Answer) =>
  statusCode >= 400 &&
  headers['content-type'] === 'text/html; charset=utf-8' &&
  (body === '' || /^<!doctype html>[^]+<body class="error\b/.test(body))

/** Returns how a response differs from the document. `pages`: whether an error may be a page. */
export function createContract (document: OpenApi, { pages = false } = {}) {
  // OpenAPI has keywords beyond those of JSON Schema.
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi.json')
  const operations = operationsOf(document).map(operation => ({ ...operation, pattern: patternOf(operation.path) }))

  function problemsOfValue (what: string, value: unknown, reference: string): string[] {
    const validate = ajv.getSchema(reference)
    if (!validate) throw new Error(`the document has no ${reference}`)
    return validate(value) ? [] : [`${what} ${ajv.errorsText(validate.errors)}`]
  }

  function problemsOfHeaders (
    { path, method, responses }: DocumentedOperation,
    { statusCode, headers }: Answer
  ): string[] {
    return Object.entries(responses[statusCode]?.headers ?? {}).flatMap(([name, { schema }]) => {
      const value = headers[name]
      if (value === undefined) return [`the header ${name} is missing`]
      const reference = pointer(
        'paths',
        path,
        method.toLowerCase(),
        'responses',
        String(statusCode),
        'headers',
        name,
        'schema'
      )
      return [value]
        .flat()
        .flatMap(each => problemsOfValue(name, schema.type === 'integer' ? Number(each) : String(each), reference))
    })
  }

  function problemsOfBody (
    { path, method, responses }: DocumentedOperation,
    { statusCode, headers, body }: Answer
  ): string[] {
    if (pages && isErrorPage({ statusCode, headers, body })) return []
    const [type] = Object.keys(responses[statusCode]?.content ?? {})
    if (!type) return body === '' ? [] : ['there is a body, but none is documented']
    const [sent] = String(headers['content-type']).split(';')
    if (sent !== type) return [`the content type is ${sent}, not ${type}`]
    const reference = pointer(
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(statusCode),
      'content',
      type,
      'schema'
    )
    return problemsOfValue('body', type === 'application/json' ? JSON.parse(body) : body, reference)
  }

  return {
    operations,

    operationAt (method: string, url: string): DocumentedOperation | undefined {
      const path = pathIn(url)
      return operations.find(operation => operation.method === method && operation.pattern.test(path))
    },

    problems (operation: DocumentedOperation, answer: Answer): string[] {
      if (!operation.responses[answer.statusCode]) {
        return [`the status ${answer.statusCode} is not documented: ${answer.body}`]
      }
      return [...problemsOfHeaders(operation, answer), ...problemsOfBody(operation, answer)]
    },

    /** For responses of any path: not found, or method not allowed. */
    problemsOfRefusal (answer: Answer): string[] {
      if (pages && isErrorPage(answer)) return []
      if (!String(answer.headers['content-type']).startsWith('application/json')) return ['it is not JSON']
      return problemsOfValue('body', JSON.parse(answer.body), pointer('components', 'schemas', 'Failure'))
    },
  }
}
