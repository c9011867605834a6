#!/usr/bin/env node
// Runs the source if it is there, otherwise the build in dist/.
import { existsSync } from 'node:fs'

await import(existsSync(new URL('../src/', import.meta.url)) ? './main.js' : '../dist/src/cli/gatehouse.js')
