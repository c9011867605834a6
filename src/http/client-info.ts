import { plainAddress } from './client-address.ts'

export interface ClientInfo { ip: string, userAgent: string | null }

/** Longer ones are cut: the header is the client's to fill. */
const USER_AGENT_LIMIT = 400

/** Where a request came from, as sessions and events keep it. */
export function clientOf (request: { ip: string, headers: { 'user-agent'?: string } }): ClientInfo {
  return { ip: plainAddress(request.ip), userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LIMIT) ?? null }
}
