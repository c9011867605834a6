import { loadConfig, SettingsError } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import { about, type Finding, type State } from '../doctor/finding.ts'
import { EXIT, takeNames, type Command } from './command.ts'

const HELP = `Usage: gatehouse doctor [--json]

Looks at everything that the service depends on, with the settings that it would start with: one
line each, and what to do about it. It changes nothing and sends no mail. Run it before the first
start, after a change of settings, and when something is odd.

  settings    complete, and safe for production
  cookies     whether browsers send them back: HTTPS and host
  proxy       whose X-Forwarded-For is believed
  database    PostgreSQL answers; migrations are applied; the role has the rights it needs, and no more
  redis       the counters count
  clock       this machine, PostgreSQL and Redis agree on the time
  mail        the mail server lets us in
  provider-…  its addresses answer, it knows the client, and sends people back to us
  front end   PUBLIC_URL leads to the service

Exits with 0 when there is no problem (warnings are none), with 1 when there is one.

Examples
  gatehouse doctor
  gatehouse doctor --json | jq '.findings[] | select(.state != "ok")'
`

const command: Command = {
  help: HELP,

  async run ({ positionals }) {
    takeNames(positionals)
    const findings = await findAll()
    const count = (state: State) => findings.filter(finding => finding.state === state).length
    const [problems, warnings] = [count('problem'), count('warning')]
    return {
      data: { healthy: problems === 0, problems, warnings, findings },
      text: [...findings.map(line), '', `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`].join('\n'),
      exit: problems > 0 ? EXIT.problem : EXIT.fine,
    }
  },
}

async function findAll (): Promise<Finding[]> {
  try {
    return await examine(loadConfig())
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map((problem, index) => about('settings').problem(problem, index === error.problems.length - 1 ? 'Nothing else was looked at.' : ''))
  }
}

function line ({ state, check, message, advice }: Finding): string {
  return [state.padEnd(8), check.padEnd(11), message, advice].filter(Boolean).join(' ')
}

function plural (count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

export default command
