import { readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { formatOf, parseHashConfig, SYSTEMS, type Convert } from '../../import-export/other-systems.ts'
import { FORMATS, readRows, UnreadableFile, type Format, type Row } from '../../import-export/read-rows.ts'
import { CommandError, EXIT, requireArguments, UsageError, type Arguments, type Outcome } from '../command.ts'
import { createProgress } from '../terminal/progress.ts'
import { withService } from '../with-service.ts'

const BATCH = 1_000
/** The others are only counted, and written with --report. */
const MAX_SHOWN = 100

const MAP_HEADER = 'old_id,new_id\n'
const csvField = (text: string) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

type Refusal = { line: number, reason: string }
interface Totals {
  rows: number
  added: number
  withoutPassword: number
  existing: number
  refused: number
  /** Messages to each webhook that wants them. */
  announcements: number
}

export async function importUsers ({ positionals, values }: Arguments): Promise<Outcome> {
  const [file] = requireArguments(positionals, 'FILE')
  const dryRun = Boolean(values['dry-run'])
  const format = chooseFormat(file, values.format)
  const convert = chooseConvert(values.from, values['hash-config'])
  const size = readable(file, () => statSync(file).size)
  if (dryRun && values.map !== undefined) throw new UsageError('A dry run gives no ids: leave out --map.')
  const report = values.report === undefined ? undefined : await open(values.report as string, 'w', 0o600)
  const map = values.map === undefined ? undefined : await open(values.map as string, 'w', 0o600)
  try {
    await map?.appendFile(MAP_HEADER)
    const { totals, refusals } = await withService(app => importAll(app, {
      rows: readRows(file, format),
      size,
      convert,
      dryRun,
      note: line => report?.appendFile(line),
      map: lines => map?.appendFile(lines),
    }))
    return describe(totals, refusals, dryRun)
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandError(error.message) : error
  } finally {
    await report?.close()
    await map?.close()
  }
}

export interface Plan {
  rows: AsyncGenerator<Row>
  size: number
  convert: Convert
  dryRun: boolean
  note (line: string): Promise<void> | undefined
  /** Lines of CSV: the old and the new id of an account. */
  map? (lines: string): Promise<void> | undefined
}

export async function importAll (app: FastifyInstance, { rows, size, convert, dryRun, note, map }: Plan) {
  const totals: Totals = { rows: 0, added: 0, withoutPassword: 0, existing: 0, refused: 0, announcements: 0 }
  const refusals: Refusal[] = []
  const progress = createProgress(size, 'rows')
  const batches = app.beginImport({ convert, dryRun })

  async function add (batch: Row[]) {
    const { added, withoutPassword, existing, refused, ids } = await batches.add(batch)
    totals.rows += batch.length
    totals.added += added
    totals.withoutPassword += withoutPassword
    totals.existing += existing
    totals.refused += refused.length
    if (added > 0 && !dryRun) totals.announcements++
    refusals.push(...refused.slice(0, MAX_SHOWN - refusals.length))
    if (refused.length > 0) await note(refused.map(each => `${JSON.stringify(each)}\n`).join(''))
    await map?.(ids.map(([old, now]) => `${csvField(old)},${now}\n`).join(''))
    progress.update(batch.at(-1)?.bytes ?? 0, totals.rows)
  }

  try {
    let batch: Row[] = []
    for await (const row of rows) {
      batch.push(row)
      if (batch.length < BATCH) continue
      await add(batch)
      batch = []
    }
    if (batch.length > 0) await add(batch)
  } finally {
    progress.end()
  }
  return { totals, refusals }
}

function describe (totals: Totals, refusals: Refusal[], dryRun: boolean): Outcome {
  const { rows, added, withoutPassword, existing, refused, announcements } = totals
  const more = refused - refusals.length
  const lines = [
    ...refusals.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...(more > 0 ? [`and ${more} more: --report FILE writes them all`] : []),
    `${rows} rows: ${added} ${dryRun ? 'can be added' : 'added'}, ${existing} exist already, ${refused} refused.`,
    ...(withoutPassword > 0
      ? [`Without a password: ${withoutPassword}. Their owners set one with "Forgot password".`]
      : []),
    ...(announcements > 0
      ? [`Webhooks get user.imported ${announcements === 1 ? 'once' : `${announcements} times`}, with the ids, ` +
        'and not user.created for each account.']
      : []),
    ...(rows > 0 && existing === rows ? ['Nothing was changed.'] : []),
  ]
  return {
    data: { dryRun, ...totals, refusals },
    text: lines.join('\n'),
    exit: refused > 0 ? EXIT.problem : EXIT.ok,
  }
}

function chooseFormat (file: string, given: Arguments['values'][string]): Format {
  const format = given ?? formatOf(file)
  if (!FORMATS.includes(format as Format)) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}.`)
  return format as Format
}

function chooseConvert (from: Arguments['values'][string], config: Arguments['values'][string]): Convert {
  if (from === undefined) return row => row
  const system = Object.hasOwn(SYSTEMS, from as string) ? SYSTEMS[from as string] : undefined
  if (!system) throw new UsageError(`--from must be one of ${Object.keys(SYSTEMS).join(', ')}.`)
  if (config === undefined) return system()
  const hashes = parseHashConfig(readable(config as string, () => readFileSync(config as string, 'utf8')))
  if (!hashes) {
    throw new CommandError('--hash-config needs base64_signer_key, base64_salt_separator, rounds and mem_cost.')
  }
  return system(hashes)
}

function readable<T> (file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new CommandError(`Cannot read ${file}: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
