#!/usr/bin/env node
// Runs the source where it is, and otherwise what was built from it.
import { existsSync } from 'node:fs'

const root = existsSync(new URL('../src/', import.meta.url)) ? '..' : '../dist'
await import(`${root}/src/cli/gatehouse.js`)
