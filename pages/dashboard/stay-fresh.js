import { gatehouse } from '../parts/api.js'
import { asGatehouseError } from '../parts/form.js'

/** Timers stop while a computer sleeps, so a short interval compares with the clock. */
const CHECK_INTERVAL = 20_000

/**
 * Refreshes the access token before it expires while the page is visible, and when it becomes visible again.
 * @param {{ onReturn: () => void, onEnd: () => void }} listeners
 */
export function stayFresh ({ onReturn, onEnd }) {
  async function check () {
    if (document.visibilityState === 'hidden' || gatehouse.isFresh()) return
    try {
      if (!await gatehouse.refresh()) onEnd()
    } catch (error) {
      // The network may not be back yet: the next check tries again.
      asGatehouseError(error)
    }
  }

  async function handleReturn () {
    if (document.visibilityState === 'hidden') return
    await check()
    onReturn()
  }

  setInterval(check, CHECK_INTERVAL)
  addEventListener('online', handleReturn)
  document.addEventListener('visibilitychange', handleReturn)
}
