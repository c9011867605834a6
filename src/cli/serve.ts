import { serve } from '../server.ts'
import { takeNames, type Command } from './command.ts'

const command: Command = {
  help: `Usage: gatehouse serve

Starts the service. With no DATABASE_URL, and not in production, it brings a PostgreSQL, two
providers and a mailbox of its own. SIGTERM drains it: new requests are served for DRAIN_SECONDS,
then it ends when the last answer is out.

Examples
  gatehouse serve
  PORT=4000 gatehouse serve
  NODE_ENV=production gatehouse serve    refuses settings that are not safe
`,

  async run ({ positionals }) {
    takeNames(positionals)
    await serve()
  },
}

export default command
