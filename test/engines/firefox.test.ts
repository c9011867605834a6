import t from 'tap'
import { openFirefox, withoutFirefox } from '../support/engines/firefox.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in Firefox', { skip: withoutFirefox }, t => takeJourneys(t, openFirefox))
