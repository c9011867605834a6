import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** The violations that axe finds on the current page, or in these parts of it. */
export async function violations (page: Page, parts: string[] = ['html']): Promise<string[]> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(AXE)
  // Half-way, colours are those of neither state.
  await page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter(animation => animation instanceof CSSTransition)
    .map(({ finished }) => finished)).then(() => {}))
  // The details of what is right would take half of the time.
  const parameters = [{ include: parts }, { resultTypes: ['violations'] }].map(each => JSON.stringify(each))
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${parameters})`)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html }) => `${impact} ${id}: ${html.slice(0, 200)}`)
  )
}
