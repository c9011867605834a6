#!/usr/bin/env node
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

// Plain JavaScript, so that an old Node gets as far as the sentence below.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Gatehouse needs Node 24 or newer, and this is ${process.version}: run \`npm ci\`, which brings its own, then \`npm start\`.`)
  process.exit(1)
}

// Hashing takes one thread a core; name look-ups and files must not wait behind it. Read when the first thread starts.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 4)

// What a request leaves behind is little and soon gone: room for more of it would cost 30 MB and, measured, bring nothing.
setFlagsFromString('--semi-space-growth-factor=1')

const { run } = await import('./commands.ts')
await run(process.argv.slice(2))
