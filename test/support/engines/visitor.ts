import { eventually } from '../patience.ts'
import type { Tab } from './engine.ts'

/** While a page is replaced by the next one, it cannot be asked. */
const ask = <T>(tab: Tab, expression: string): Promise<T | undefined> =>
  tab.run<T>(expression).catch(() => undefined)

/** A user at a tab, who waits for what the page shows before each step. */
export function createVisitor (tab: Tab) {
  /** Visible and not disabled: the forms can be sent when their script has loaded. */
  const untilReady = (selector: string) => eventually(
    () => ask<boolean>(tab, `[document.querySelector(${JSON.stringify(selector)})]
      .some(found => found && found.checkVisibility() && !found.disabled)`),
    ready => ready === true
  )

  const text = async (part = 'body') =>
    await ask<string>(tab, `document.querySelector(${JSON.stringify(part)})?.innerText ?? ''`) ?? ''

  return {
    ...tab,
    text,
    until: untilReady,
    async click (selector: string) {
      await untilReady(selector)
      await tab.click(selector)
    },
    async fill (selector: string, value: string) {
      await untilReady(selector)
      await tab.fill(selector, value)
    },
    see: (words: string | RegExp, part?: string) =>
      eventually(() => text(part), shown => words instanceof RegExp ? words.test(shown) : shown.includes(words)),
    /** The address, when it is as expected. */
    arriveAt: (address: string | RegExp) =>
      eventually(() => tab.url(), url => address instanceof RegExp ? address.test(url) : url === address),
  }
}

export type Visitor = ReturnType<typeof createVisitor>
