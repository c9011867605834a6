import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readOpenIdProviders } from './settings/open-id-providers.ts'
import { readResources } from './settings/openid-resources.ts'
import { safetyProblems } from './settings/safety-rules.ts'
import { Settings, TestSettings, type Config } from './settings/schema.ts'
import { readSecretFiles, secretsInFiles } from './settings/secret-files.ts'

export { Settings, type Config } from './settings/schema.ts'

type Environment = Record<string, string | undefined>

/** The problems of the settings, one line each. */
export class SettingsError extends Error {
  readonly problems: string[]
  /** What was given, with its problems. */
  readonly config: Config

  constructor (problems: string[], config: Config) {
    super(problems.join('\n'))
    this.name = 'SettingsError'
    this.problems = problems
    this.config = config
  }
}

/** Outside production, the embedded stack replaces a database that is not configured. */
export function wantsEmbeddedStack (env: Environment = process.env): boolean {
  return !env.DATABASE_URL && !env.DATABASE_URL_FILE && env.NODE_ENV !== 'production'
}

/** npm sets this variable to the name of the script in package.json. Programs that the script starts inherit it. */
export function isRunByNpm (env: Environment = process.env): boolean {
  return ['start', 'gatehouse'].includes(env.npm_lifecycle_event ?? '')
}

/** The standard variables of OpenTelemetry, which its libraries also read themselves. */
export function wantsTraces (env: Environment = process.env): boolean {
  const somewhere = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  return Boolean(somewhere) && env.OTEL_SDK_DISABLED !== 'true' && env.OTEL_TRACES_EXPORTER !== 'none'
}

/** Needed before the other settings are loaded: Node creates its threads once. A wrong value is refused later. */
export function hashingThreads (env: Environment = process.env): number {
  return Number(env.HASHING_THREADS) || availableParallelism()
}

/** Where the command line keeps what belongs to the person who uses it. */
export function configFolder (env: Environment = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'gatehouse')
}

/** The settings of the names in PROVIDERS and OPENID_RESOURCES, which the schema does not list. */
export function settingsOfNames (env: Environment = process.env): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(PROVIDER_(?![AB]_)|OPENID_RESOURCE_)/.test(name)))
}

/** The settings whose values were read from files. */
export function settingsFromFiles (env: Environment = process.env): string[] {
  return secretsInFiles(env)
}

export function publicUrlOf (env: Environment = process.env): string {
  return env.PUBLIC_URL || `http://localhost:${env.PORT || 3000}`
}

export function loadConfig (provided: Environment = {}, env: Environment = process.env): Config {
  const files = readSecretFiles(env)
  const given: Environment = { ...provided, ...withoutEmpty(env), ...files.values }
  // Clients of OpenID providers that verify nothing else are common.
  if (given.OPENID === 'on') given.SIGNING_ALG ??= 'ES256'
  const parsed = parse(given.NODE_ENV === 'production' ? given : { PUBLIC_URL: publicUrlOf(given), ...given })
  const config = { ...parsed, openIdProviders: readOpenIdProviders(given), resources: readResources(given) }
  const problems = [
    ...files.problems.values(),
    ...[...shapeProblems(parsed), ...safetyProblems(config)].filter(line => !files.problems.has(settingOf(line))),
  ]
  if (problems.length > 0) throw new SettingsError(problems, config)
  return config
}

/** Each line begins with the name of its setting. */
function settingOf (line: string): string {
  return line.split(' ', 1)[0] as string
}

function withoutEmpty (env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
}

type Parsed = Omit<Config, 'openIdProviders' | 'resources'>

function parse (env: Environment): Parsed {
  const known = Object.entries<TSchema>(Settings.properties).flatMap(([name, schema]) => {
    const value = env[name]
    return value === undefined ? [] : [[name, convert(schema, value)]]
  })
  return Value.Default(Settings, Object.fromEntries(known)) as Parsed
}

function convert (schema: TSchema, value: string): unknown {
  if (schema.type === 'array') return value.split(',').map(item => item.trim())
  // Value.Convert reads 1e3 as 1 and 80.5 as 80.
  if (schema.type === 'integer') return /^\d+$/.test(value.trim()) ? Number(value) : value
  return Value.Convert(schema, value)
}

function shapeProblems (config: Parsed): string[] {
  const settings = config.NODE_ENV === 'test' ? TestSettings : Settings
  return [...Value.Errors(settings, config)].map(({ path, schema, message, value }) => {
    const choices: TSchema[] | undefined = schema.anyOf
    const advice = choices ? `choose one of ${choices.map(choice => choice.const).join(', ')}` : message.toLowerCase()
    return `${path.slice(1)} is ${JSON.stringify(value)}: ${advice}.`
  })
}
