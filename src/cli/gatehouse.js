#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets as far as the sentence below.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Gatehouse needs Node 24 or newer, and this is ${process.version}: run \`npm ci\`, which brings its own, then \`npm start\`.`)
  process.exit(1)
}

const { run } = await import('./commands.ts')
await run(process.argv.slice(2))
