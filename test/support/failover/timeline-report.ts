import { KINDS, type Second } from './timeline.ts'

/** What happened in which second. */
export type Notes = Map<number, string>

const range = (seconds: Second[]) => [...new Set(seconds.map(({ second }) => second))]
const cellOf = (seconds: Second[], second: number, kind: string) =>
  seconds.find(each => each.second === second && each.kind === kind) ?? { ok: 0, failed: 0 }

/** Seconds in which the same happens are one row. */
export function timelineTable (seconds: Second[], notes: Notes): string {
  const head = ['Second', ...KINDS, '']
  const words = (second: number, kind: string) => {
    const { ok, failed } = cellOf(seconds, second, kind)
    if (ok + failed === 0) return 'no response yet'
    if (failed === 0) return 'normal'
    return ok === 0 ? '503' : 'some 503'
  }
  const rows: Array<{ from: number, to: number, cells: string[], note: string }> = []
  for (const second of range(seconds)) {
    const cells = KINDS.map(kind => words(second, kind))
    const last = rows.at(-1)
    const note = notes.get(second) ?? ''
    if (last && !note && String(last.cells) === String(cells)) last.to = second
    else rows.push({ from: second, to: second, cells, note })
  }
  const lines = rows.map(({ from, to, cells, note }) => [from === to ? from : `${from} to ${to}`, ...cells, note])
  return [head, head.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const LEFT = 130
const COLUMN = 30
const ROW = 64
const BAR = 40

const STYLE = `
  svg { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif;
    --card: #ffffff; --edge: #d8dce4; --text: #1c2230; --quiet: #5d6678; --ok: #3557d6; --failed: #d6453d }
  @media (prefers-color-scheme: dark) {
    svg { --card: #161a22; --edge: #303746; --text: #eef1f7; --quiet: #a0aabd; --ok: #7f9bff; --failed: #ff8a80 }
  }
  .card { fill: var(--card); stroke: var(--edge) } text { fill: var(--text) } .quiet { fill: var(--quiet) }
  .ok { fill: var(--ok) } .failed { fill: var(--failed) } .mid { text-anchor: middle }`

/** A column for each second: the share of requests that succeeded, and of those that failed above it. */
export function timelineChart (seconds: Second[], notes: Notes): string {
  const columns = range(seconds)
  const width = LEFT + columns.length * COLUMN + 30
  const height = KINDS.length * ROW + 100
  const parts = KINDS.flatMap((kind, row) => {
    const bottom = 60 + row * ROW + BAR
    return [
      `<text x="24" y="${bottom - BAR / 2 + 5}">${kind}</text>`,
      ...columns.flatMap((second, index) => {
        const { ok, failed } = cellOf(seconds, second, kind)
        if (ok + failed === 0) return []
        const x = LEFT + index * COLUMN
        const good = BAR * ok / (ok + failed)
        return [
          `<rect class="ok" x="${x}" y="${(bottom - good).toFixed(1)}" width="22" height="${good.toFixed(1)}"/>`,
          `<rect class="failed" x="${x}" y="${bottom - BAR}" width="22" height="${(BAR - good).toFixed(1)}"/>`,
        ]
      }),
    ]
  })
  const axis = columns.map((second, index) =>
    `<text class="quiet mid" x="${LEFT + index * COLUMN + 11}" y="${height - 36}">${second}</text>`)
  const marks = [...notes].map(([second, note]) => {
    const x = LEFT + columns.indexOf(second) * COLUMN
    return `<text x="${x}" y="40">▾ ${note}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
  role="img" aria-label="Requests that succeed and fail in each second after the loss of a zone">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12"/>
${[...marks, ...parts, ...axis].join('\n')}
<text class="quiet" x="24" y="${height - 14}">Blue: succeeded. Red: 503 with Retry-After. Seconds since the loss.</text>
</svg>
`
}
