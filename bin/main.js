// The program: the command line on the service, with the demo for `serve` where nothing is configured.
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

// Plain JavaScript, so that an old Node can run this file as far as the message below.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Gatehouse needs Node 24 or newer, but this is ${process.version}. ${advice()}`)
  process.exit(1)
}

// DNS lookups and file access need threads besides those for hashing.
// Node reads this variable when the first thread starts. To load the settings, none is needed.
const { hashingThreads, wantsEmbeddedStack } = await import('../src/config.ts')
process.env.UV_THREADPOOL_SIZE ??= String(hashingThreads() + 4)

if (process.argv[2] !== 'serve' && wantsEmbeddedStack()) await useRunningDemo()

const { run } = await import('../src/cli/commands.ts')
await run(process.argv.slice(2), { startDemo })

/**
 * Loaded only where it is used: the image does not have its packages.
 * @param {string} publicUrl
 */
async function startDemo (publicUrl) {
  const { startStack } = await import('../demo/stack.ts')
  return startStack(publicUrl)
}

/** Commands reach a demo that runs in this folder without any setting. One that is set keeps its value. */
async function useRunningDemo () {
  const { readRunning } = await import('../demo/running.ts')
  for (const [name, value] of Object.entries(readRunning() ?? {})) process.env[name] ||= value
}

/** `npm ci` installs Node 24 as the package `node`, which npm's scripts use; without the development packages, not. */
function advice () {
  try {
    const installed = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const [node, program] = [join(installed, 'bin/node'), process.argv[1] ?? ''].map(path => relative('', path))
    return `Node 24 is installed here: run \`${node} ${program}\` with your arguments, or use npm start and npm run.`
  } catch {
    return 'Install Node 24, or run `npm ci`, which installs it, and then `npm start`.'
  }
}
