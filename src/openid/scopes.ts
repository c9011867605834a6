import type { Resource, ResourceScope } from '../settings/openid-resources.ts'
import type { Config } from '../settings/schema.ts'
import { scopesOf } from '../settings/token-claims.ts'

/** A scope of a resource, as consents and grants store it: two resources may have a scope with the same name. */
const atResource = (uri: string, scope: string) => `${uri} ${scope}`

/** `lines`: of the record of an application, each a URI and after it the scopes. Undefined if it is not allowed. */
export function allowedScopes (lines: string[], { uri, scopes }: Resource): string[] | undefined {
  const line = lines.map(each => each.split(' ')).find(([allowed]) => allowed === uri)
  const names = scopes.map(({ name }) => name)
  return line && line.length > 1 ? names.filter(name => line.includes(name)) : line && names
}

/** The URIs that a record allows. */
export const allowedResources = (lines: string[]): string[] => lines.map(line => line.split(' ')[0] as string)

/** As the parameters of a request have them: one resource or several. */
export interface Asked { scope?: unknown, resource?: unknown }

/** Libraries write a URI without a path with a slash at the end, whether the settings have one or not. */
export const isSameResource = (uri: string, other: string): boolean =>
  uri === other || (URL.canParse(uri) && URL.canParse(other) && new URL(uri).href === new URL(other).href)

/** How a request writes this resource. */
export const spellingsOf = (uri: string, { resource }: Asked): string[] =>
  [resource ?? []].flat().map(String).filter(each => isSameResource(each, uri))

/** What the application asks for and may get: scopes of OpenID Connect, and those of each resource. */
export function requestedScopes (
  { scope, resource }: Asked,
  lines: string[],
  config: Pick<Config, 'resources' | 'TOKEN_CLAIMS'>
): string[] {
  const own = scopesOf(config)
  const requested = [...new Set(String(scope ?? '').split(' '))]
  return [
    ...requested.filter(each => own.includes(each)),
    ...config.resources.filter(({ uri }) => spellingsOf(uri, { resource }).length > 0).flatMap(each => {
      const allowed = allowedScopes(lines, each) ?? []
      return requested.filter(name => allowed.includes(name)).map(name => atResource(each.uri, name))
    }),
  ]
}

/** The scopes of resources, by resource. */
export function scopesByResource (scopes: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const each of scopes) {
    const [uri = '', name] = each.split(' ')
    if (name) found.set(uri, [...found.get(uri) ?? [], name])
  }
  return found
}

/** With the words of the operator. A resource that is not configured any more has none. */
export function describeScopes (scopes: string[], resources: Resource[]) {
  return {
    scopes: scopes.filter(each => !each.includes(' ')),
    resources: [...scopesByResource(scopes)].map(([uri, names]) => {
      const known = resources.find(each => each.uri === uri)
      const inWords = (name: string): ResourceScope =>
        ({ name, description: known?.scopes.find(scope => scope.name === name)?.description || name })
      return { uri, description: known?.description ?? uri, scopes: names.map(inWords) }
    }),
  }
}
