import { serve } from '../server.ts'
import { requireArguments, type Command } from './command.ts'

const command: Command = {
  help: `Usage: gatehouse serve

Starts the service. Without DATABASE_URL, and not in production, it also starts an embedded
PostgreSQL, three demo identity providers, a demo application, a demo mailbox and the page for
operators. After SIGTERM it accepts requests for another DRAIN_SECONDS, completes the open ones and
exits.

Examples
  gatehouse serve
  PORT=4000 gatehouse serve
  NODE_ENV=production gatehouse serve    refuses unsafe settings
`,

  async run ({ positionals }, { startDemo }) {
    requireArguments(positionals)
    await serve(startDemo)
  },
}

export default command
