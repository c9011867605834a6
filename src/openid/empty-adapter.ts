import type { Adapter } from 'oidc-provider'

const unused = async () => {}

/** Stores nothing. For the methods that the provider never calls for a model, or whose work is done elsewhere. */
export const EMPTY_ADAPTER: Adapter = {
  upsert: unused,
  find: unused,
  findByUid: unused,
  findByUserCode: unused,
  consume: unused,
  destroy: unused,
  revokeByGrantId: unused,
}
