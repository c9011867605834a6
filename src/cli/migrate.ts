import { loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { takeNames, type Command } from './command.ts'

const command: Command = {
  help: `Usage: gatehouse migrate [--json]

Brings the tables up to date, all or nothing, as the role of MIGRATION_DATABASE_URL, and gives
the role of DATABASE_URL the few rights that the service needs. To run it twice, or from several
machines at once, does no harm.

Examples
  gatehouse migrate
  MIGRATION_DATABASE_URL=postgres://owner@db/gatehouse gatehouse migrate
`,

  async run ({ positionals }) {
    takeNames(positionals)
    const applied = await migrate(loadConfig())
    return { data: { applied }, text: applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.' }
  },
}

export default command
