import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Keeps the records of an OpenID provider in memory. */
export function createStorage () {
  const records = new Map<string, AdapterPayload>()

  return (model: string): Adapter => {
    const key = (id: string) => `${model}:${id}`
    return {
      async upsert (id, payload) {
        // Sessions are not stored, so that every sign-in shows the consent page.
        if (model !== 'Session') records.set(key(id), payload)
      },
      async find (id) {
        return records.get(key(id))
      },
      async consume (id) {
        const record = records.get(key(id))
        if (record) record.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy (id) {
        records.delete(key(id))
      },
      async revokeByGrantId (grantId) {
        for (const [key, record] of records) if (record.grantId === grantId) records.delete(key)
      },
      async findByUid () {},
      async findByUserCode () {},
    }
  }
}
