import { errors, type Client, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import type { Resource } from '../settings/openid-resources.ts'
import { JWT_LIFETIME, OPAQUE_LIFETIME } from './provider-settings.ts'
import { allowedResources, allowedScopes, isSameResource } from './scopes.ts'

export interface ResourceRules {
  /** Those of OPENID_RESOURCES. */
  resources: Resource[]
  /** What the record of an application allows: each a URI, and after it the scopes. */
  resourcesOf (clientId: string): string[]
  /** Counts a token of a machine. Throws if there were too many. */
  countMachine (clientId: string): Promise<void>
}

/** Where an application says which scopes it wants. */
const ASKING = ['authorization', 'device_authorization', 'pushed_authorization_request']

const isMachine = ({ oidc }: KoaContextWithOIDC) => oidc.params?.grant_type === 'client_credentials'
const scopesOf = ({ oidc }: KoaContextWithOIDC) => [...oidc.requestParamScopes]

/** Without a scope of the resource, all that the record allows are asked for. */
function askForScopes (ctx: KoaContextWithOIDC, allowed: string[]) {
  const requested = scopesOf(ctx)
  if (!ctx.oidc.params || requested.some(scope => allowed.includes(scope))) return
  ctx.oidc.params.scope = [...requested, ...allowed].join(' ')
}

function checkMachineScopes (ctx: KoaContextWithOIDC, allowed: string[]) {
  const refused = scopesOf(ctx).find(scope => !allowed.includes(scope))
  if (refused) throw new errors.InvalidScope('the machine may not have this scope', refused)
}

/** For which resources an application gets tokens: RFC 8707. */
export function resourceIndicators ({ resources, resourcesOf, countMachine }: ResourceRules) {
  return {
    enabled: true,

    /** A machine that names none, or an application that names no scope either, means the only one that it may have. */
    async defaultResource (ctx: KoaContextWithOIDC, { clientId }: Client, oneOf?: readonly string[]) {
      if (oneOf || (ctx.oidc.params?.scope && !isMachine(ctx))) return oneOf
      const [uri, ...others] = allowedResources(resourcesOf(clientId))
      if (uri && others.length === 0) return uri
      if (isMachine(ctx)) throw new errors.InvalidTarget('the machine must name a resource')
      return undefined
    },

    /** An application that asked for a resource need not repeat it to get its token. */
    useGrantedResource: async () => true,

    async getResourceServerInfo (ctx: KoaContextWithOIDC, uri: string, { clientId }: Client): Promise<ResourceServer> {
      const resource = resources.find(each => isSameResource(each.uri, uri))
      const allowed = resource && allowedScopes(resourcesOf(clientId), resource)
      if (!allowed) throw new errors.InvalidTarget('the application may not ask for this resource')
      if (isMachine(ctx)) {
        checkMachineScopes(ctx, allowed)
        await countMachine(clientId)
      }
      if (isMachine(ctx) || ASKING.includes(ctx.oidc.route)) askForScopes(ctx, allowed)
      const isOpaque = resource.tokens === 'opaque'
      return {
        audience: resource.uri,
        scope: allowed.join(' '),
        accessTokenFormat: isOpaque ? 'opaque' : 'jwt',
        accessTokenTTL: isOpaque ? OPAQUE_LIFETIME : JWT_LIFETIME,
        jwt: { sign: { alg: 'ES256' } },
      }
    },
  }
}
