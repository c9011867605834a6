import type { OpenApi, Schema } from './openapi.ts'

export interface Field { name: string, type: string, required: boolean, description: string }

/** The fields of a schema as rows to read: `user.id`, `sessions[].device`. */
export function fieldsOf (document: OpenApi, given: Schema, prefix = ''): Field[] {
  const schema = resolve(document, given)
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const resolved = resolve(document, property)
    const row = { name: prefix + name, type: typeOf(document, resolved), required: schema.required?.includes(name) ?? false, description: describe(resolved) }
    const inner = resolved.items ? fieldsOf(document, resolved.items, `${row.name}[].`) : innerObjects(document, resolved).flatMap(object => fieldsOf(document, object, `${row.name}.`))
    return [row, ...inner]
  })
}

function resolve (document: OpenApi, schema: Schema): Schema {
  return document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
}

function innerObjects (document: OpenApi, schema: Schema): Schema[] {
  return (schema.anyOf ?? [schema]).map(choice => resolve(document, choice)).filter(({ properties }) => properties)
}

function typeOf (document: OpenApi, schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(choice => typeOf(document, resolve(document, choice))).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.items) return `${typeOf(document, resolve(document, schema.items))}[]`
  return schema.format ?? schema.type ?? 'any'
}

/** In words, with the lengths that are allowed. */
function describe ({ description = '', minLength, maxLength }: Schema): string {
  const length = maxLength === undefined ? '' : minLength ? `${minLength} to ${maxLength} characters` : `At most ${maxLength} characters`
  return [description, description.includes(`to ${maxLength}`) ? '' : length].filter(Boolean).join('. ')
}
