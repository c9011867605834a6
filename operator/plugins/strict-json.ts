import fp from 'fastify-plugin'
import { hasDuplicates } from '../../src/accounts/strict-json.ts'
import { HttpError } from '../../src/errors.ts'

const DUPLICATES = 'The body has an object with two members of the same name.'
const PROTOTYPE = 'The body has a member named __proto__, or a prototype within constructor, which is refused.'

function isJson (text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What is stored of a body must be what its sender meant: JSON.parse keeps the last of two members. */
export default fp(async function (app) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, function (request, text, done) {
    parse(request, text, (error, value) => {
      if (error) return done(isJson(text) ? new HttpError(400, PROTOTYPE) : error)
      done(hasDuplicates(text, value) ? new HttpError(400, DUPLICATES) : null, value)
    })
  })
}, { name: 'strict-json' })
