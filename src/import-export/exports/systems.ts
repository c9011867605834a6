import type { Format } from '../read-rows.ts'
import { fromAuth0 } from './auth0.ts'
import { fromBetterAuth } from './better-auth.ts'
import type { Convert } from './convert.ts'
import { fromFirebase, type FirebaseHashes } from './firebase.ts'
import { fromKeycloak } from './keycloak.ts'
import { fromSupabase } from './supabase.ts'

export const SYSTEMS: Record<string, (hashes?: FirebaseHashes) => Convert> = {
  auth0: () => fromAuth0,
  firebase: fromFirebase,
  keycloak: () => fromKeycloak,
  supabase: () => fromSupabase,
  'better-auth': () => fromBetterAuth,
}

/** The format of a file, by its name. */
export function formatOf (path: string): Format | undefined {
  const ending = /\.(ndjson|jsonl|csv|json)$/i.exec(path)?.[1]?.toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : ending as Format | undefined
}
