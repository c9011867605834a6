import t from 'tap'
import { withoutChromium } from '../support/chromium.ts'
import { checkContrast, checkMailbox } from '../support/pages/mails.ts'

t.test('mails, as the demo mailbox shows them', { skip: withoutChromium }, t => checkMailbox(t, ['en']))

t.test('every mail: axe, light and dark', { skip: withoutChromium }, t => checkContrast(t, '#2f5bea'))
