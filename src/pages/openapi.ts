/** As much of an OpenAPI 3.1 document as we read ourselves. */
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

export interface Media { schema: Schema, example?: unknown, examples?: Record<string, { value: unknown }> }
export interface Header { description?: string, required?: boolean, schema: Schema }
export interface Response { description: string, headers?: Record<string, Header>, content?: Record<string, Media> }
export interface Parameter { in: string, name: string, required?: boolean, description?: string, schema: Schema }

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
  components: { schemas: Record<string, Schema>, securitySchemes: Record<string, { in: string, name: string, description: string }> }
  paths: Record<string, Record<string, Operation>>
}

/** Every operation with its method and path, in the order of the tags. */
export function operationsOf (document: OpenApi): Array<Operation & { method: string, path: string }> {
  const order = document.tags.map(({ name }) => name)
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })))
    .sort((a, b) => order.indexOf(a.tags[0]) - order.indexOf(b.tags[0]))
}

/** A schema with a title is told once, under that name, and referred to everywhere else. */
export function nameSchemas (document: OpenApi): OpenApi {
  const named: Record<string, Schema> = {}
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(visit)
    const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, name.startsWith('example') ? each : visit(each)])) as Schema
    if (copy.type !== 'object' || !copy.title) return copy
    const { title, ...schema } = copy
    named[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const paths = visit(document.paths) as OpenApi['paths']
  return { ...document, paths, components: { ...document.components, schemas: Object.fromEntries(Object.entries(named).sort()) } }
}
