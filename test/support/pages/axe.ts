import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** The violations that axe finds on the current page, or in these parts of it. */
export async function violations (page: Page, parts: string[] = ['html']): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify({ include: parts })})`)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html }) => `${impact} ${id}: ${html.slice(0, 200)}`)
  )
}
