import { styleText } from 'node:util'
import type { Finding, State } from '../../doctor/finding.ts'
import { printable } from './printable.ts'
import { wrap } from './wrap.ts'

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'gray' } as const
const STATE_WIDTH = 9
/** With less room beside the names, the texts begin below them. */
const MIN_TEXT_WIDTH = 40

/** A row for each finding: in a terminal wrapped to its width, in a pipe one line. */
export function showFindings (findings: Finding[], columns: number | undefined): string {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length)) + 2
  return findings.map(finding => {
    const { state, check } = finding
    const title = `${paint(state, state.padEnd(STATE_WIDTH))}${check.padEnd(nameWidth)}`
    const texts = [withoutName(finding), finding.advice ?? ''].filter(Boolean).map(printable)
    if (!columns) return `${title}${texts.join(' ')}`
    const beside = columns - STATE_WIDTH - nameWidth >= MIN_TEXT_WIDTH
    const indent = beside ? STATE_WIDTH + nameWidth : 2
    const lines = texts.flatMap(text => wrap(text, Math.max(1, columns - indent)))
    const rows = lines.map(line => `${' '.repeat(indent)}${line}`)
    return beside ? [`${title}${lines[0]}`, ...rows.slice(1)].join('\n') : [title.trimEnd(), ...rows].join('\n')
  }).join('\n')
}

/** Only in a terminal; NO_COLOR and FORCE_COLOR decide otherwise. */
export function paint (state: State, text: string): string {
  return styleText(COLORS[state], text, { stream: process.stdout })
}

/** The message about a setting begins with its name, which is in the row already. */
function withoutName ({ check, message }: Finding): string {
  return message.startsWith(`${check} `) ? message.slice(check.length + 1) : message
}
