import type { Config } from '../config.ts'

/** Where operators open their page. */
export function operatorUrl ({ OPERATOR_PORT, OPERATOR_URL }: Config): string {
  return OPERATOR_URL || `http://localhost:${OPERATOR_PORT ?? 0}`
}
