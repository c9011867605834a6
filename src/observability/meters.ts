/** Every value that a label can have, so that no client can add one, and each series is there from the start. */
type Labels = Record<string, readonly string[]>
type Values<L extends Labels> = { [Name in keyof L]: L[Name][number] }

/** What plugins report their figures with. Times are in seconds. */
export interface Meters {
  counter<const L extends Labels> (name: string, help: string, labels: L): (values: Values<L>) => void
  /** Read when somebody asks. */
  gauge (name: string, help: string, read: () => number | Promise<number>): void
  /** One series for each set of labels, made once and kept by whoever observes. */
  durations (name: string, help: string): (labels: Record<string, string>) => (seconds: number) => void
}

export const NO_METERS: Meters = {
  counter: () => () => {},
  gauge () {},
  durations: () => () => () => {},
}
