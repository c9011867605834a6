import type { Results } from '../figures/results.ts'
import { number } from './table.ts'

const WIDTH = 840
const LABELS = 230
const BARS = 400
const ROW = 30

interface Panel {
  id: string
  title: string
  whole: string
  bars: string[]
}

const NAMES: Record<string, string> = {
  'bare node:http, same bytes': 'bare node:http',
  'check p99, idle': 'alone',
  'check p99, saturated': 'while logins take all cores',
}

/** Each bar is a share of the first one. */
const PANELS: Panel[] = [
  {
    id: 'logins-cost-12',
    title: 'Logins a second, bcrypt cost 12',
    whole: 'bare bcrypt',
    bars: ['Gatehouse', 'better-auth', 'express + passport'],
  },
  {
    id: 'access',
    title: 'Access checks a second, one core',
    whole: 'bare node:http, same bytes',
    bars: ['Gatehouse', 'better-auth, cookie cache', 'better-auth', 'express + passport'],
  },
  { id: 'refresh', title: 'Token refreshes a second', whole: 'bare node:http with pg', bars: ['Gatehouse'] },
  {
    id: 'isolation',
    title: 'Access check, 99th percentile (shorter is better)',
    whole: '',
    bars: ['check p99, idle', 'check p99, saturated'],
  },
]

const STYLE = `
  svg { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif;
    --card: #ffffff; --edge: #d8dce4; --text: #1c2230; --quiet: #5d6678;
    --track: #eceff4; --ours: #3557d6; --peer: #a3adbf; --most: #cfd6e2 }
  @media (prefers-color-scheme: dark) {
    svg { --card: #161a22; --edge: #303746; --text: #eef1f7; --quiet: #a0aabd;
      --track: #222834; --ours: #7f9bff; --peer: #667085; --most: #3a4354 }
  }
  .card { fill: var(--card); stroke: var(--edge) } .title { font-weight: 600 } text { fill: var(--text) }
  .quiet { fill: var(--quiet) } .name { text-anchor: end } .strong { font-weight: 600 }
  .track { fill: var(--track) } .ours { fill: var(--ours) } .peer { fill: var(--peer) } .most { fill: var(--most) }`

export function drawChart ({ results, machine, at }: Results): string {
  const parts: string[] = []
  let y = 44
  for (const { id, title, whole, bars } of PANELS) {
    const figures = results.find(result => result.id === id)?.figures ?? []
    const rows = [whole, ...bars].flatMap(label => figures.filter(figure => figure.label === label))
    if (rows.length === 0) continue
    const most = Math.max(...rows.map(({ median }) => median))
    parts.push(`<text class="title" x="28" y="${y}">${title}</text>`)
    y += 14
    for (const { label, median, unit } of rows) {
      const kind = label === whole ? 'most' : /Gatehouse|check/.test(label) ? 'ours' : 'peer'
      const width = Math.max(2, (median / most) * BARS)
      const percent = (median / (rows[0]?.median ?? NaN)) * 100
      const share = whole && label !== whole ? ` · ${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %` : ''
      const name = (NAMES[label] ?? label) + (label === whole && median === most ? ', the ceiling' : '')
      parts.push(
        `<text class="name ${kind === 'ours' ? 'strong' : 'quiet'}" x="${LABELS}" y="${y + 19}">${name}</text>`,
        `<rect class="track" x="${LABELS + 14}" y="${y + 5}" width="${BARS}" height="20" rx="4"/>`,
        `<rect class="${kind}" x="${LABELS + 14}" y="${y + 5}" width="${width.toFixed(1)}" height="20" rx="4"/>`,
        `<text class="${kind === 'ours' ? 'strong' : 'quiet'}" x="${LABELS + BARS + 26}" y="${y + 19}">` +
          `${number(median)}${unit === 'ms' ? ' ms' : unit}${share}</text>`
      )
      y += ROW
    }
    y += 30
  }
  const foot = [
    `${machine.cores} cores, ${machine.processor}`,
    `Node ${machine.node.slice(1)}`,
    `PostgreSQL ${machine.postgres}`,
    `medians of alternating rounds, ${at.slice(0, 10)}`,
  ].join(' · ')
  parts.push(`<text class="quiet" font-size="12" x="28" y="${y}">${foot}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 22}" width="${WIDTH}" height="${y + 22}"
  role="img" aria-label="Gatehouse, its peers and the limits of the machine">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${y + 21}" rx="12"/>
${parts.join('\n')}
</svg>
`
}
