import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { capacityBlocks, fillBlocks } from './capacity.ts'
import { drawChart } from './chart.ts'
import { MEASURES, type Options } from '../options.ts'
import type { Result, Results } from '../figures/results.ts'
import type { Stage } from '../environment/stage.ts'
import { textTable } from './table.ts'

const KEPT = join(import.meta.dirname, '..')
const PASSING = join(import.meta.dirname, '../../.data/bench')
const PAGES = [join(import.meta.dirname, '../../docs/capacity.md'), join(KEPT, 'results.md')]

/**
 * Prints the results and saves them. A partial run replaces only its own results. A quick run, and one on a machine
 * that others use, replace none.
 */
export async function report (results: Result[], { quick, only }: Options, stage: Stage, isBusy: boolean) {
  const found: Results = { at: new Date().toISOString(), quick, machine: await describeMachine(stage), results }
  console.log(textTable(found))

  const full = MEASURES.every(id => only.includes(id))
  const isKept = !quick && !isBusy
  const dir = isKept ? KEPT : PASSING
  const all = !isKept || full ? found : { ...found, results: replaced(await keptResults(), results) }
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'results.json'), JSON.stringify(all, null, 2) + '\n')
  await writeFile(join(dir, 'results.svg'), drawChart(all))
  if (isKept) await fillPages(all)
  console.log(`Written: ${join(dir, 'results.json')}, results.svg${isKept ? ', results.md, docs/capacity.md' : ''}`)
}

async function fillPages (all: Results) {
  const blocks = capacityBlocks(all)
  for (const page of PAGES) await writeFile(page, fillBlocks(await readFile(page, 'utf8'), blocks))
}

async function keptResults (): Promise<Result[]> {
  return JSON.parse(await readFile(join(KEPT, 'results.json'), 'utf8')).results
}

const replaced = (kept: Result[], found: Result[]): Result[] => [
  ...kept.map(result => found.find(({ id }) => id === result.id) ?? result),
  ...found.filter(({ id }) => kept.every(result => result.id !== id)),
]

async function describeMachine (stage: Stage): Promise<Results['machine']> {
  const [row] = await stage.query<{ server_version: string }>('postgres', 'SHOW server_version')
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres: row?.server_version ?? 'unknown',
  }
}
