import type { Pool } from 'pg'

/** Not the names of NOT NULL constraints, which PostgreSQL 18 numbers by what existed when they were made. */
const LINES = `
  SELECT format('column %s.%s %s, not null %s, default %s, generated %s%s, rights %s', attrelid::regclass, attname,
    format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attgenerated, attidentity, attacl)
  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT format('%s %s, options %s, rights %s', relkind, relname, reloptions, relacl)
  FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL
  SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
  WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal
  UNION ALL
  SELECT format('%s rights %s', pg_get_functiondef(oid), proacl) FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT format('rights %s', nspacl) FROM pg_namespace WHERE nspname = 'public'
  UNION ALL
  SELECT format('reader %s', name) FROM event_readers
  ORDER BY 1`

/** Tables, columns, indexes, constraints, triggers, functions and rights, one line each. */
export async function schemaOf (owner: Pool): Promise<string[]> {
  const { rows } = await owner.query({ text: LINES, rowMode: 'array' })
  return rows.flat()
}
