#!/usr/bin/env node
// Runs the source where it is, and what was built from it where that is all there is, as in the image.
import { existsSync } from 'node:fs'

const root = existsSync(new URL('../src/', import.meta.url)) ? '..' : '../dist'
await import(`${root}/src/cli/gatehouse.js`)
