import { loadConfig } from '../config.ts'
import { endEverything } from '../database/after-restore.ts'
import { requireArguments, type Command } from './command.ts'

const HELP = `Usage: gatehouse restored [--json]

Run it once after the database was restored from a backup, before the instances start. What was ended
after the backup would work again otherwise: the command ends every session, voids the links in mails
and the access tokens, forgets the browsers that skip the second factor, and removes the keys that sign
tokens for other services. All users have to sign in again. Instances create a new key by themselves.

It runs as the role of MIGRATION_DATABASE_URL.

Examples
  pg_restore --dbname=service=gatehouse gatehouse.dump && gatehouse migrate && gatehouse restored
`

const command: Command = {
  help: HELP,
  async run ({ positionals }) {
    requireArguments(positionals)
    const accounts = await endEverything(loadConfig())
    return {
      data: { accounts },
      text: 'All sessions have ended, and links and tokens from before are void. ' +
        `Accounts that were signed in: ${accounts}.`,
    }
  },
}

export default command
