import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Parser, type Result } from 'tap-parser'

export type State = 'passed' | 'failed' | 'skipped'

/** A test, not an assertion. The titles are those of the tests around it, and its own. */
export interface TestResult {
  titles: string[]
  state: State
}

/** The results of each test file, by its path. */
export type Results = Record<string, TestResult[]>

/** Reads the TAP output of one test file. A test in which anything failed or was skipped has not passed. */
export function readTap (output: string): TestResult[] {
  const results: TestResult[] = []

  /** Returns the state of everything that this parser has read so far. */
  function watch (parser: Parser, around: string[]): () => State {
    const states: State[] = []
    let stateOfChild: () => State = () => 'passed'
    parser.on('child', (child: Parser) => {
      stateOfChild = watch(child, [...around, child.name])
    })
    parser.on('assert', (result: Result) => {
      const isTest = result.closingTestPoint
      const state = stateOf(result, isTest ? stateOfChild() : 'passed')
      states.push(state)
      // A test that is skipped prints one line, like an assertion.
      if (isTest || state === 'skipped') results.push({ titles: [...around, result.name], state })
    })
    return () => (['failed', 'skipped'] as const).find(state => states.includes(state)) ?? 'passed'
  }

  const parser = new Parser()
  watch(parser, [])
  parser.end(output)
  return results
}

function stateOf (result: Result, inside: State): State {
  if (result.skip || result.todo) return 'skipped'
  return result.ok ? inside : 'failed'
}

/** The results of several suites that belong to one run. Those of another run are never used. */
const FILE = '.tap/results.json'

export function loadResults (run: string, file = FILE): Results {
  if (!existsSync(file)) return {}
  const saved: { run: string, results: Results } = JSON.parse(readFileSync(file, 'utf8'))
  return saved.run === run ? saved.results : {}
}

export function addResults (run: string, results: Results, file = FILE) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ run, results: { ...loadResults(run, file), ...results } }))
}
