import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { capacityBlocks, fillBlocks } from './capacity.ts'
import { drawChart } from './chart.ts'
import { MEASURES, type Options } from './options.ts'
import type { Result, Results } from './results.ts'
import type { Stage } from './stage.ts'
import { textTable } from './table.ts'

const KEPT = import.meta.dirname
const PASSING = join(import.meta.dirname, '../.data/bench')
const CAPACITY = join(import.meta.dirname, '../docs/capacity.md')

/** Prints the table and writes it down. What a short or partial run finds does not replace what a full one found. */
export async function report (results: Result[], { quick, only }: Options, stage: Stage) {
  const all: Results = { at: new Date().toISOString(), quick, machine: await describeMachine(stage), results }
  console.log(textTable(all))

  const full = !quick && MEASURES.every(id => only.includes(id))
  const dir = full ? KEPT : PASSING
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'results.json'), JSON.stringify(all, null, 2) + '\n')
  await writeFile(join(dir, 'results.svg'), drawChart(all))
  if (full) await writeFile(CAPACITY, fillBlocks(await readFile(CAPACITY, 'utf8'), capacityBlocks(all)))
  console.log(`Written: ${join(dir, 'results.json')}, results.svg${full ? ', docs/capacity.md' : ''}`)
}

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
