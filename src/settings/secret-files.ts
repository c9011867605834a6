import type { TSchema } from '@sinclair/typebox'
import { readFileSync } from 'node:fs'
import { openIdSecrets } from './open-id-providers.ts'
import { Settings } from './schema.ts'

type Environment = Record<string, string | undefined>

/** The settings that contain a secret. Each can be in a file instead, whose path is in NAME_FILE. */
export const SECRETS = Object.entries<TSchema>(Settings.properties)
  .filter(([, { secret }]) => secret)
  .map(([name]) => name)

/** The secrets that the environment gives as files. */
export function secretsInFiles (env: Environment): string[] {
  return [...SECRETS, ...openIdSecrets(env)].filter(name => env[`${name}_FILE`])
}

/** The content of each file, and for each that cannot be used one line that says why. */
export function readSecretFiles (env: Environment) {
  const values: Environment = {}
  const problems = new Map<string, string>()
  for (const name of secretsInFiles(env)) {
    try {
      values[name] = read(name, env)
    } catch (error) {
      problems.set(name, (error as Error).message)
    }
  }
  return { values, problems }
}

function read (name: string, env: Environment): string {
  const path = env[`${name}_FILE`] as string
  if (env[name]) throw new Error(`${name} and ${name}_FILE are both set: remove one of them.`)
  const content = readOrExplain(name, path).replace(/\r?\n$/, '')
  if (content === '') throw new Error(`${name}_FILE is ${path}: the file is empty.`)
  return content
}

function readOrExplain (name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${name}_FILE is ${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
