import t from 'tap'
import { openWebKit, withoutWebKit } from '../support/engines/webkit.ts'
import { takeJourneys } from '../support/engines/journeys.ts'

t.test('the pages in WebKit', { skip: withoutWebKit }, t => takeJourneys(t, openWebKit))
