/** The parts of an OpenAPI 3.1 document that our own code reads. */
export interface Schema {
  $ref?: string
  type?: string
  title?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  [keyword: string]: unknown
}

interface Media { schema: Schema, example?: unknown, examples?: Record<string, { value: unknown }> }
interface Header { description?: string, required?: boolean, schema: Schema }
interface Response { description: string, headers?: Record<string, Header>, content?: Record<string, Media> }
interface Parameter { in: string, name: string, required?: boolean, description?: string, schema: Schema }

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: [string]
  security: Array<Record<string, string[]>>
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

export interface OpenApi {
  openapi: string
  info: { title: string, version: string, summary: string, description: string }
  tags: Array<{ name: string, description: string }>
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { in: string, name: string, description: string }>
  }
  paths: Record<string, Record<string, Operation>>
}

/** Every operation with its method and path, in the order of the tags. */
export function operationsOf (document: OpenApi): Array<Operation & { method: string, path: string }> {
  const order = document.tags.map(({ name }) => name)
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => {
      return { ...operation, method: method.toUpperCase(), path }
    }))
    .sort((a, b) => order.indexOf(a.tags[0]) - order.indexOf(b.tags[0]))
}

/** Moves each schema with a title into the components, under that title, and refers to it. */
export function nameSchemas (document: OpenApi): OpenApi {
  const named: Record<string, Schema> = {}
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(visit)
    const copy: Schema = Object.fromEntries(Object.entries(value).map(([name, each]) => {
      return [name, name.startsWith('example') ? each : visit(each)]
    }))
    if (copy.type !== 'object' || !copy.title) return copy
    const { title, ...schema } = copy
    named[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const paths = visit(document.paths) as OpenApi['paths']
  const schemas = Object.fromEntries(Object.entries(named).sort())
  return { ...document, paths, components: { ...document.components, schemas } }
}
