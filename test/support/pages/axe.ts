import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** What depends on the colours, of the rules that axe checks by default. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** The violations that axe finds on the current page, or in these parts of it. */
export async function violations (page: Page, parts: string[] = ['html'], rules?: string[]): Promise<string[]> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(AXE)
  // Half-way, colours are those of neither state.
  await page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter(animation => animation instanceof CSSTransition)
    .map(({ finished }) => finished)).then(() => {}))
  // The details of what is right would take half of the time.
  const options = { resultTypes: ['violations'], ...rules && { runOnly: rules } }
  const parameters = [{ include: parts }, options].map(each => JSON.stringify(each))
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${parameters})`)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html }) => `${impact} ${id}: ${html.slice(0, 200)}`)
  )
}

/** In light and in dark colours. The markup is the same in both, so the second time only colours are looked at. */
export async function violationsInBothColors (page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await violations(page, ['html'], COLOR_RULES)).map(each => `dark: ${each}`)]
}
