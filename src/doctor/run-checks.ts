import type { Config } from '../config.ts'
import { checkCookies } from './cookies.ts'
import { checkDatabase } from './database.ts'
import type { Finding } from './finding.ts'
import { checkFrontEnd } from './front-end.ts'
import { checkMail } from './mail.ts'
import { checkProviders } from './providers.ts'
import { checkProxy } from './proxy.ts'
import { checkRedis } from './redis.ts'
import { checkSettings } from './settings.ts'

const CHECKS: Array<(config: Config) => Finding[] | Promise<Finding[]>> = [
  checkSettings, checkCookies, checkProxy, checkDatabase, checkRedis, checkMail, checkProviders, checkFrontEnd,
]

/** Runs all checks in parallel. Each has a timeout, and none changes anything. */
export async function runChecks (config: Config): Promise<Finding[]> {
  return (await Promise.all(CHECKS.map(check => check(config)))).flat()
}
