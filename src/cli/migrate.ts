import { loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { requireArguments, type Command } from './command.ts'

const command: Command = {
  help: `Usage: gatehouse migrate [--json]

Applies the missing database migrations in one transaction, as the role of MIGRATION_DATABASE_URL,
and grants the role of DATABASE_URL the privileges that the service needs. Then it builds large
indexes without locking their tables, which can take minutes. It is safe to run it again, and from
several machines at once.

Examples
  gatehouse migrate
  MIGRATION_DATABASE_URL=postgres://owner@db/gatehouse gatehouse migrate
`,

  async run ({ positionals }) {
    requireArguments(positionals)
    const applied = await migrate(loadConfig())
    const text = applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.'
    return { data: { applied }, text }
  },
}

export default command
