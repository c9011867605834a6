/** All values of each label: clients cannot add series, and each series exists from the start. */
type Labels = Record<string, readonly string[]>
type Values<L extends Labels> = { [Name in keyof L]: L[Name][number] }

/** The interface that plugins report metrics through. Durations are in seconds. */
export interface Meters {
  counter<const L extends Labels> (name: string, help: string, labels: L): (values: Values<L>) => void
  /** `read` is called at each scrape. */
  gauge (name: string, help: string, read: () => number | Promise<number>): void
  /** Create the series of each label set once and keep the function that is returned. */
  durations (name: string, help: string): (labels: Record<string, string>) => (seconds: number) => void
}

export const NO_METERS: Meters = {
  counter: () => () => {},
  gauge () {},
  durations: () => () => () => {},
}
