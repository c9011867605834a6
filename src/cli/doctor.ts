import { styleText } from 'node:util'
import { type Command, EXIT, requireArguments } from './command.ts'
import { printable, wrap } from './terminal/text.ts'
import { loadConfig, SettingsError } from '../config.ts'
import type { Finding, State } from '../doctor/finding.ts'
import { runChecks } from '../doctor/run-checks.ts'

const HELP = `Usage: gatehouse doctor [--json]

Checks everything that the service depends on, with the settings that it would start with. Prints
one row for each check and how to fix what is wrong. A check that needs a missing or wrong setting
is skipped; the others run. It changes nothing and sends no mail. Run it before the first start,
after a change of settings, and when something does not work.

  settings    complete, and safe for production
  cookies     browsers send them back: HTTPS and host of PUBLIC_URL
  proxy       the proxies whose X-Forwarded-For is trusted
  database    PostgreSQL responds, all migrations are applied, the role has the right privileges, and
              PostgreSQL allows the connections that an instance opens
  redis       the counters work
  clock       this machine, PostgreSQL and Redis agree on the time
  mail        the SMTP login succeeds
  breached passwords
              the list responds
  registration hook, sign-in hook
              your application answers
  provider-…  its endpoints respond, and it accepts the client and the redirect URI
  hashing     how many passwords each core checks at once
  front end   PUBLIC_URL leads to the service
  device-bound sessions
              browsers can prove the keys of their devices

Colours are for terminals: NO_COLOR=1 turns them off, FORCE_COLOR=1 turns them on in a pipe.
Exits with 0 if there is no problem, even with warnings, and with 1 otherwise.

Examples
  gatehouse doctor
  gatehouse doctor --json | jq '.findings[] | select(.state != "ok")'
`

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'gray' } as const
const STATE_WIDTH = 9
/** With less room beside the names, the texts begin below them. */
const MIN_TEXT_WIDTH = 40

const command: Command = {
  help: HELP,

  async run ({ positionals }) {
    requireArguments(positionals)
    const findings = await findAll()
    const count = (state: State) => findings.filter(finding => finding.state === state).length
    const [problems, warnings] = [count('problem'), count('warning')]
    const worst = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
    const summary = `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`
    return {
      data: { healthy: problems === 0, problems, warnings, findings },
      styled: `${showFindings(findings, process.stdout.columns)}\n\n${paint(worst, summary)}`,
      exit: problems > 0 ? EXIT.problem : EXIT.ok,
    }
  },
}

async function findAll (): Promise<Finding[]> {
  try {
    return await runChecks(loadConfig(), [])
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return runChecks(error.config, error.problems)
  }
}

function plural (count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** A row for each finding: in a terminal wrapped to its width, in a pipe one line. */
function showFindings (findings: Finding[], columns: number | undefined): string {
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
function paint (state: State, text: string): string {
  return styleText(COLORS[state], text, { stream: process.stdout })
}

/** The message about a setting begins with its name, which is in the row already. */
function withoutName ({ check, message }: Finding): string {
  return message.startsWith(`${check} `) ? message.slice(check.length + 1) : message
}

export default command
