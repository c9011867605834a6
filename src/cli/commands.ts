import { loadConfig, SettingsError } from '../config.ts'
import { migrate } from '../migrate.ts'
import { serve } from '../server.ts'

const HELP = `Usage: gatehouse <command>

  serve     start the service (npm start does the same)
  migrate   bring the tables of the database up to date

Settings come from the environment: see the table in README.md.
`

const COMMANDS: Record<string, () => Promise<void>> = {
  serve,
  async migrate () {
    const applied = await migrate(loadConfig())
    console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.')
  },
  async help () {
    console.log(HELP)
  },
}

export async function run ([name = 'help']: string[]) {
  const command = COMMANDS[name.replace(/^--/, '')]
  if (!command) {
    console.error(`There is no command "${name}".\n\n${HELP}`)
    process.exit(2)
  }
  try {
    await command()
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

/** One line for each thing that is wrong, and what to do about it. */
function explain (error: unknown): string {
  if (error instanceof SettingsError) return error.problems.join('\n')
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken: stop what listens there, or choose another, such as PORT=${Number(port) + 1} npm start.`
  if (code === 'EACCES' && port) return `Port ${port} needs more rights than this user has: choose one above 1023.`
  return message || String(error)
}
