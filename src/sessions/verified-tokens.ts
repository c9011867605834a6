/**
 * Caches verified tokens until they expire: a lookup costs a tenth of a signature check.
 * Two generations limit the memory: when one is full, the tokens unused since the last change are dropped.
 */
export function createVerifiedTokens<T extends { exp: number }> (maxTokens: number, now: () => number = Date.now) {
  let recent = new Map<string, T>()
  let earlier = new Map<string, T>()

  function add (token: string, claims: T) {
    if (recent.size >= maxTokens / 2) {
      earlier = recent
      recent = new Map()
    }
    recent.set(token, claims)
  }

  function find (token: string): T | undefined {
    const claims = recent.get(token)
    if (claims) return claims
    const earlierClaims = earlier.get(token)
    if (earlierClaims) add(token, earlierClaims)
    return earlierClaims
  }

  return {
    add,

    remove (token: string) {
      recent.delete(token)
      earlier.delete(token)
    },

    clear () {
      recent.clear()
      earlier.clear()
    },

    get (token: string): T | undefined {
      const claims = find(token)
      return claims && claims.exp * 1_000 > now() ? claims : undefined
    },
  }
}
