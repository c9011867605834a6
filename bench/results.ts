export interface Spread { median: number, low: number, high: number }

export interface Bound { atLeast?: number, atMost?: number }

/** What the targets are about: a figure that means the same on another machine. */
export interface Ratio extends Spread {
  label: string
  unit?: string
  bound?: Bound
  met?: boolean
}

/** What the ratios were made of, on this machine. */
export interface Figure extends Spread { label: string, unit: string }

export interface Result {
  id: string
  title: string
  ratios: Ratio[]
  figures: Figure[]
  notes?: string[]
}

export interface Results {
  at: string
  quick: boolean
  machine: { cores: number, processor: string, memoryGb: number, node: string, postgres: string }
  results: Result[]
}
