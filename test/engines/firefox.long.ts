import t from 'tap'
import { openApplications, visitApplications } from '../support/engines/applications.ts'
import { openFirefox, withoutFirefox } from '../support/engines/firefox.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in Firefox', { skip: withoutFirefox }, t => takeJourneys(t, openFirefox))

t.test('applications in Firefox', { skip: withoutFirefox }, async t => {
  await visitApplications(t, await openApplications(t, openFirefox))
})
