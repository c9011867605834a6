// @ts-check
import { gatehouse } from './api.js'
import { asRefusal } from './form.js'

/** Timers stand still while a laptop sleeps, so the clock is looked at often instead of once. */
const OFTEN = 20_000

/**
 * Refreshes the access token before it runs out while somebody looks at the page, and when they come back to it.
 * @param {{ onReturn: () => void, onEnd: () => void }} listeners
 */
export function stayFresh ({ onReturn, onEnd }) {
  async function check () {
    if (document.visibilityState === 'hidden' || gatehouse.isFresh()) return
    try {
      if (!await gatehouse.refresh()) onEnd()
    } catch (error) {
      // No network yet: the next look will find it.
      asRefusal(error)
    }
  }

  async function comeBack () {
    if (document.visibilityState === 'hidden') return
    await check()
    onReturn()
  }

  setInterval(check, OFTEN)
  addEventListener('online', comeBack)
  document.addEventListener('visibilitychange', comeBack)
}
