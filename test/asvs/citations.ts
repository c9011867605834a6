import type { Results } from '../runner/test-results.ts'
import type { Chapter } from './entry.ts'
import { MAP } from './map.ts'
import { findTest } from './titles.ts'

interface Part {
  /** The test files whose citations are checked; without them, all. */
  files?: string[]
  map?: Chapter
}

/** One line for each cited test that did not run, or did not pass, in these results. */
export function unprovenCitations (results: Results, { files, map = MAP }: Part = {}): string[] {
  return Object.entries(map).flatMap(([id, { tests }]) => tests
    .filter(reference => !files || files.includes(fileOf(reference)))
    .map(reference => problemOf(reference, results))
    .filter(problem => problem !== undefined)
    .map(problem => `ASVS ${id}: ${problem}.`))
}

function fileOf (reference: string): string {
  return `test/${reference.split('#')[0]}`
}

function problemOf (reference: string, results: Results): string | undefined {
  let title: string
  try {
    title = findTest(reference).title
  } catch (error) {
    return (error as Error).message
  }
  const file = fileOf(reference)
  const pattern = patternOf(title)
  // A title in test/support/ belongs to the test files that call it: their results count.
  const candidates = file.startsWith('test/support/') ? Object.values(results).flat() : results[file] ?? []
  const found = candidates.filter(({ titles }) => pattern.test(titles.at(-1) ?? ''))
  const bad = found.find(({ state }) => state !== 'passed')
  if (found.length > 0 && !bad) return undefined
  return `"${title}" in ${file} ${bad ? `is ${bad.state}` : 'did not run'}`
}

/** `${…}` in a title stands for any text. */
function patternOf (title: string): RegExp {
  const fixed = title.split(/\$\{[^}]*\}/).map(text => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${fixed.join('.*')}$`, 's')
}
