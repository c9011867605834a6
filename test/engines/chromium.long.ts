import t from 'tap'
import { withoutChromium } from '../support/chromium.ts'
import { openApplications, visitApplications, visitApplicationsInEveryWay } from '../support/engines/applications.ts'
import { openChromium } from '../support/engines/chromium.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in Chromium', { skip: withoutChromium }, t => takeJourneys(t, openChromium))

t.test('applications in Chromium', { skip: withoutChromium }, async t => {
  const applications = await openApplications(t, openChromium)
  await visitApplications(t, applications)
  await visitApplicationsInEveryWay(t, applications)
})
