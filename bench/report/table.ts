import type { Bound, Figure, Ratio, Results, Spread } from '../figures/results.ts'

/** Three significant digits. */
export function number (value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

const withUnit = (text: string, unit = '') => (unit.startsWith('/') ? `${text}${unit}` : `${text} ${unit}`.trim())
const range = ({ low, high }: Spread) => (low === high ? '' : `${number(low)} – ${number(high)}`)
const target = ({ atLeast, atMost }: Bound) =>
  atLeast === undefined ? `≤ ${number(atMost as number)}` : `≥ ${number(atLeast)}`
const verdict = ({ met }: Ratio) => (met === undefined ? '' : met ? 'met' : 'MISSED')

const ratioRow = (ratio: Ratio) => [
  ratio.label,
  withUnit(number(ratio.median), ratio.unit),
  range(ratio),
  ratio.bound ? withUnit(target(ratio.bound), ratio.unit) : '',
  verdict(ratio),
]
const figureRow = (figure: Figure) => [figure.label, withUnit(number(figure.median), figure.unit), range(figure)]

function align (rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  return rows
    .map(
      row =>
        '  ' +
        row
          .map((cell, column) =>
            column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
          )
          .join('   ')
          .trimEnd()
    )
    .join('\n')
}

export function textTable ({ results }: Results): string {
  const parts = results.map(({ title, ratios, figures, notes = [] }) =>
    [
      `\n${title}`,
      align(ratios.map(ratioRow)),
      align(figures.map(figureRow)),
      ...notes.map(note => `  ${note}`),
    ].join('\n')
  )
  const bounded = results.flatMap(({ ratios }) => ratios).filter(({ bound }) => bound)
  return [...parts, `\n${bounded.filter(({ met }) => met).length} of ${bounded.length} targets met\n`].join('\n')
}

/** Of a table in Markdown. */
export const row = (...cells: string[]) => `| ${cells.join(' | ')} |`

const markdown = (rows: string[][]) => rows.map(cells => row(...cells)).join('\n')

export function markdownTables ({ at, machine, results }: Results): string {
  return [
    `Measured ${at.slice(0, 10)} on ${machine.cores} cores (${machine.processor}, ${machine.memoryGb} GB), ` +
      `Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}: median, and lowest to highest round.`,
    ...results.map(({ title, ratios, figures, notes = [] }) =>
      [
        `**${title}**\n`,
        '| | Ratio | Rounds | Target | |\n|---|---:|---:|---:|---|',
        markdown(ratios.map(ratioRow)),
        '\n| | On this machine | Rounds |\n|---|---:|---:|',
        markdown(figures.map(figureRow)),
        ...notes.map(note => `\n${note}`),
      ].join('\n')
    ),
  ].join('\n\n')
}
