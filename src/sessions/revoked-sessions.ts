/** Ended sessions in memory. Entries are forgotten after their lifetime, the oldest first. */
export function createRevokedSessions (lifetimeMs: number, now: () => number = () => performance.now()) {
  /** In the order of arrival, with its time. */
  const arrivals = new Map<string, number>()

  function forgetOld () {
    const oldest = now() - lifetimeMs
    for (const [sid, arrivedAt] of arrivals) {
      if (arrivedAt > oldest) return
      arrivals.delete(sid)
    }
  }

  return {
    has: (sid: string): boolean => arrivals.has(sid),

    /** Returns false if it is known already. */
    add (sid: string): boolean {
      if (arrivals.has(sid)) return false
      arrivals.set(sid, now())
      return true
    },

    forgetOld,

    get size () { return arrivals.size },
  }
}
