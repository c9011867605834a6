export interface Spread { median: number, low: number, high: number }

export interface Bound { atLeast?: number, atMost?: number }

/** A figure that can be compared between machines. The targets are ratios. */
export interface Ratio extends Spread {
  label: string
  unit?: string
  bound?: Bound
  met?: boolean
}

/** A measured value on this machine. */
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
