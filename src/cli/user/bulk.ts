import { appendFileSync, writeFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { BULK_ACTIONS, MAX_BULK, type BulkAction, type BulkResult } from '../../operators/bulk-actions.ts'
import { CommandError, requireArguments, UsageError, type Arguments, type Outcome } from '../command.ts'
import { createProgress } from '../terminal/progress.ts'
import { isTerminal, prompt } from '../terminal/prompt.ts'
import { withService } from '../with-service.ts'

/** The others are only counted, and written with --report. */
const MAX_SHOWN = 100

const CHOICES = { state: ['active', 'disabled'], confirmed: ['yes', 'no'], factors: ['none', 'any', 'totp', 'passkey'] }

type Filter = Parameters<FastifyInstance['userIds']['page']>[0]
type Values = Arguments['values']

function filterOf (values: Values): Filter {
  const filter: Record<string, string> = {}
  if (typeof values.search === 'string' && values.search) filter.q = values.search
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = values[name]
    if (value === undefined) continue
    if (!choices.includes(value as string)) throw new UsageError(`--${name} must be one of ${choices.join(', ')}.`)
    filter[name] = value as string
  }
  if (Object.keys(filter).length === 0 && !values.all) throw new UsageError('Name a search, or add --all.')
  return filter as Filter
}

/** All that the search finds now: what begins to match later is left alone. */
async function findIds ({ userIds }: FastifyInstance, filter: Filter): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  do {
    const page = await userIds.page(filter, after)
    ids.push(...page.ids)
    after = page.next ?? undefined
  } while (after)
  return ids
}

async function confirm (action: BulkAction, found: number, expected: Values[string]) {
  if (expected === undefined && !isTerminal()) {
    throw new UsageError('Add --count N: there is no terminal to confirm the number of accounts in.')
  }
  const typed = expected ?? await prompt(`${action}: ${found} accounts. Type their number to confirm`)
  if (String(typed).trim() !== String(found)) {
    throw new CommandError(`The search finds ${found} accounts. Nothing was changed.`)
  }
}

/** Emptied first: nothing is changed if it cannot be written. Returns what adds accounts to it. */
function openReport (file: Values[string]): (skipped: BulkResult['skipped']) => void {
  if (typeof file !== 'string') return () => {}
  try {
    writeFileSync(file, '', { mode: 0o600 })
  } catch (error) {
    throw new CommandError(`Cannot write the report: ${(error as NodeJS.ErrnoException).code}. Nothing was changed.`)
  }
  return skipped => appendFileSync(file, skipped.map(each => `${JSON.stringify(each)}\n`).join(''))
}

async function changeAll (
  { bulkActions }: FastifyInstance,
  action: BulkAction,
  ids: string[],
  filter: Filter,
  report: ReturnType<typeof openReport>
) {
  const total: BulkResult = { done: 0, unchanged: 0, skipped: [] }
  const progress = createProgress(ids.length, 'accounts')
  try {
    for (let start = 0; start < ids.length; start += MAX_BULK) {
      const { done, unchanged, skipped } = await bulkActions.run(action, ids.slice(start, start + MAX_BULK), filter)
      total.done += done
      total.unchanged += unchanged
      total.skipped.push(...skipped)
      report(skipped)
      const seen = Math.min(start + MAX_BULK, ids.length)
      progress.update(seen, seen)
    }
  } finally {
    progress.end()
  }
  return total
}

function describe ({ done, unchanged, skipped }: BulkResult): Outcome {
  const more = skipped.length - MAX_SHOWN
  const lines = [
    ...skipped.slice(0, MAX_SHOWN).map(({ id, username, reason }) => `id:${id} ${username ?? ''}: ${reason}`),
    ...more > 0 ? [`and ${more} more: --report FILE writes them all`] : [],
    `${done} changed, ${unchanged} unchanged, ${skipped.length} skipped.`,
  ]
  return { data: { done, unchanged, skipped }, text: lines.join('\n') }
}

export async function bulk ({ positionals, values }: Arguments): Promise<Outcome> {
  const [name] = requireArguments(positionals, 'ACTION')
  const action = BULK_ACTIONS.find(each => each === name)
  if (!action) throw new UsageError(`ACTION must be one of ${BULK_ACTIONS.join(', ')}.`)
  const filter = filterOf(values)
  return withService(async app => {
    const ids = await findIds(app, filter)
    if (values['dry-run']) return { data: { count: ids.length }, text: `The search finds ${ids.length} accounts.` }
    await confirm(action, ids.length, values.count)
    return describe(await changeAll(app, action, ids, filter, openReport(values.report)))
  })
}
