import { loadConfig, SettingsError } from '../config.ts'
import { findingsFor, type Finding, type State } from '../doctor/finding.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { EXIT, requireArguments, type Command } from './command.ts'

const HELP = `Usage: gatehouse doctor [--json]

Checks everything that the service depends on, with the settings that it would start with. Prints
one line for each check and how to fix what is wrong. It changes nothing and sends no mail. Run it
before the first start, after a change of settings, and when something does not work.

  settings    complete, and safe for production
  cookies     browsers send them back: HTTPS and host of PUBLIC_URL
  proxy       the proxies whose X-Forwarded-For is trusted
  database    PostgreSQL responds, all migrations are applied, and the role has the right privileges
  redis       the counters work
  clock       this machine, PostgreSQL and Redis agree on the time
  mail        the SMTP login succeeds
  provider-…  its endpoints respond, and it accepts the client and the redirect URI
  front end   PUBLIC_URL leads to the service

Exits with 0 if there is no problem, even with warnings, and with 1 otherwise.

Examples
  gatehouse doctor
  gatehouse doctor --json | jq '.findings[] | select(.state != "ok")'
`

const command: Command = {
  help: HELP,

  async run ({ positionals }) {
    requireArguments(positionals)
    const findings = await findAll()
    const count = (state: State) => findings.filter(finding => finding.state === state).length
    const [problems, warnings] = [count('problem'), count('warning')]
    return {
      data: { healthy: problems === 0, problems, warnings, findings },
      text: [...findings.map(line), '', `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`].join('\n'),
      exit: problems > 0 ? EXIT.problem : EXIT.ok,
    }
  },
}

async function findAll (): Promise<Finding[]> {
  try {
    return await runChecks(loadConfig())
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const { problem } = findingsFor('settings')
    const last = error.problems.length - 1
    return error.problems.map((message, index) => problem(message, index === last ? 'Nothing else was checked.' : ''))
  }
}

function line ({ state, check, message, advice }: Finding): string {
  return [state.padEnd(8), check.padEnd(11), message, advice].filter(Boolean).join(' ')
}

function plural (count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

export default command
