import { taps } from './host.ts'

/** What `import t from 'tap'` gives to a test file: a root of its own. */
export default taps.get(import.meta.url)
