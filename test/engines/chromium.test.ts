import t from 'tap'
import { withoutChromium } from '../support/chromium.ts'
import { openChromium } from '../support/engines/chromium.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in Chromium', { skip: withoutChromium }, t => takeJourneys(t, openChromium))
