import t from 'tap'
import { openApplications, visitApplications } from '../support/engines/applications.ts'
import { openWebKit, withoutWebKit } from '../support/engines/webkit.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in WebKit', { skip: withoutWebKit }, t => takeJourneys(t, openWebKit))

t.test('applications in WebKit', { skip: withoutWebKit }, async t => {
  await visitApplications(t, await openApplications(t, openWebKit))
})
