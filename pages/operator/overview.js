// @ts-check
import { openPage } from './open-page.js'

await openPage(async () => {})
