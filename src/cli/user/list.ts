import type { FastifyInstance } from 'fastify'
import { pageSize, requireArguments, UsageError, type Arguments, type Outcome } from '../command.ts'
import { withService } from '../with-service.ts'

type Page = Awaited<ReturnType<FastifyInstance['userList']['page']>>

export async function list ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const limit = pageSize(values.limit)
  const after = (values.after as string | undefined)?.replace(/^id:/, '')
  if (after !== undefined && !/^\d{1,18}$/.test(after)) throw new UsageError('--after must be an id, such as 42.')
  const page = await withService(({ userList }) => userList.page({
    limit,
    after,
    search: values.search as string | undefined,
    disabled: Boolean(values.disabled),
    unconfirmed: Boolean(values.unconfirmed),
  }))
  return { data: { users: page.users, next: page.next ?? null }, text: show(page) }
}

function show ({ users, next }: Page): string {
  if (users.length === 0) return 'No users found.'
  const rows = [
    ['ID', 'USERNAME', 'EMAIL', 'STATE', 'CREATED'],
    ...users.map(user => [user.id, user.username, user.email, stateOf(user), dayOf(user.createdAt)]),
  ]
  const widths = [0, 1, 2, 3].map(column => Math.max(...rows.map(row => (row[column] as string).length)))
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return [...lines, ...(next ? [`There are more users. Add --after ${next} for the next page.`] : [])].join('\n')
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

function stateOf ({ disabledAt, emailVerifiedAt }: Page['users'][number]): string {
  if (disabledAt) return 'disabled'
  return emailVerifiedAt ? 'enabled' : 'unconfirmed'
}
