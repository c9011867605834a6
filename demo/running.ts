import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Settings, settingsOfNames, type Config } from '../src/config.ts'

type Environment = Record<string, string>

const FILE = resolve('.data/running.json')

/** Tells the commands that are run beside the demo how to reach it. It contains secrets: for the owner only. */
export async function writeRunning (config: Config, settings: Environment) {
  await forgetRunning()
  const running = { pid: process.pid, settings: { ...settings, ...settingsOfNames(), ...asEnvironment(config) } }
  await writeFile(FILE, JSON.stringify(running, null, 2), { mode: 0o600 })
}

export async function forgetRunning () {
  await rm(FILE, { force: true })
}

/** The settings of the demo that runs in this folder. A demo that was killed has left its file. */
export function readRunning (): Environment | undefined {
  try {
    const { pid, settings } = JSON.parse(readFileSync(FILE, 'utf8'))
    process.kill(pid, 0)
    return settings
  } catch {
    return undefined
  }
}

/** As the demo was started: a setting of its shell replaces that of the demo. */
function asEnvironment (config: Config): Environment {
  return Object.fromEntries(Object.keys(Settings.properties).flatMap(name => {
    const value = config[name as keyof Config]
    return value === undefined ? [] : [[name, String(value)]]
  }))
}
