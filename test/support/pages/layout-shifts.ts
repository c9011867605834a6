import type { Page } from 'playwright-core'

const SHIFTS = `new Promise(resolve => {
  const shifts = []
  new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value, sources }) =>
    value.toFixed(6) + ' ' + sources.map(({ node }) => node?.id || node?.className || node?.nodeName).join(' ')
  ))).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(shifts), 100))
})`

/** What has moved on the page by itself, and how far. */
export const shiftsOf = (page: Page): Promise<string[]> => page.evaluate(SHIFTS)
