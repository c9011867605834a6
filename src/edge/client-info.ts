import { plainAddress } from './client-address.ts'

export interface ClientInfo { ip: string, userAgent: string | null }

/** The header is controlled by the client, so it is cut off. */
const MAX_USER_AGENT_LENGTH = 400

/** The client of a request, as sessions and events store it. */
export function clientOf (request: { ip: string, headers: { 'user-agent'?: string } }): ClientInfo {
  return {
    ip: plainAddress(request.ip),
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  }
}
