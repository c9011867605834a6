import { AsyncLocalStorage } from 'node:async_hooks'
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ClientInfo } from '../edge/client-address.ts'
import type { Asked } from './scopes.ts'
import type { SelfDescription } from './self-description.ts'

export type DeviceStep =
  | { page: 'enter', problem?: string }
  | { page: 'confirm', code: string, clientId: string, asked: Asked, from: ClientInfo }
  | { page: 'done', application: string }

/** A request to the OpenID provider, and what its parts tell one another. */
export interface Visit<Session = unknown, Grant = unknown, Client = never, Application = unknown, Found = unknown> {
  request: FastifyRequest
  /** The applications of the request. The provider reads some of their properties synchronously. */
  applications: Map<string, Application>
  /** The application that registers itself with this request. */
  registration?: SelfDescription
  /** The session of the browser. Missing for applications, and for browsers without a session. */
  session?: Session
  /** What the code in the response will grant. */
  grant?: Grant
  /** The grant of the token or code in the request, with its account. */
  found?: Found
  /** What the response changes: all of it before the response is sent, or nothing if PostgreSQL goes away. */
  changes: Array<(client: Client) => Promise<void>>
  /** The provider's own view of the request. */
  ctx?: KoaContextWithOIDC
  /** The headers of the provider's response. */
  headers?: OutgoingHttpHeaders
  /** What the person in front of the browser sees of a sign-in on another device. */
  device?: DeviceStep
  /** Why the provider could not respond: not an error of OAuth, but one of the service. */
  failure?: unknown
  /** The error with which the browser goes back to the application. */
  refusal?: { code: string, description?: string }
  /** An error for the person in front of the browser. `returnTo`: where a link leads. */
  error?: { code: string, description?: string, returnTo?: string }
}

/** The provider calls its storage without the request: this is how the storage finds it. */
export const visits = new AsyncLocalStorage<Visit>()

/** The provider asks for the grant of a token, and for its account, right after the token: they are one row. */
export function rememberGrant (found: unknown) {
  const visit = visits.getStore()
  if (visit) visit.found = found
}
