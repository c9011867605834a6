import { join } from 'node:path'

// Two levels up, here and in the build, where all of src/ is in src/chunks/.
const ROOT = join(import.meta.dirname, '../..')

export const PLUGINS = join(ROOT, 'plugins')
export const ROUTES = join(ROOT, 'routes')
export const OPERATOR = join(ROOT, 'operator')
