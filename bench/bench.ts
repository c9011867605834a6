import type { Load } from './load/generator.ts'
import type { Options } from './options.ts'
import type { Program } from './contenders/start-program.ts'
import type { Result } from './figures/results.ts'
import type { OnEnd, Stage } from './environment/stage.ts'

/** What every measure can use. */
export interface Bench {
  options: Options
  stage: Stage
  service: { program: string, sizeMb: number }
  load: Load
  /** Shows the current step. */
  progress (what: string): void
  /** Runs when this measure ends, also after an error. */
  onEnd: OnEnd
  /** Starts a program that ends with this measure. */
  start<P extends Program> (starting: Promise<P>): Promise<P>
}

export type Measure = (bench: Bench) => Promise<Result[]>
