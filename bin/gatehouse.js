#!/usr/bin/env node
// Runs the source if it is there, otherwise the build in dist/.
import { existsSync } from 'node:fs'

const root = existsSync(new URL('../src/', import.meta.url)) ? '..' : '../dist'
await import(`${root}/src/cli/gatehouse.js`)
