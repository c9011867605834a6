import { HttpError } from '../errors.ts'

/** The data of an account breaks one of its rules. The message quotes nothing of it. */
export class InvalidData extends HttpError {
  constructor (problem: string) {
    super(400, `Invalid data: ${problem}.`, 'Invalid data')
  }
}

/** Another writer has changed the data since it was read, and must not be overwritten. */
export class DataChanged extends HttpError {
  constructor () {
    super(412, 'The data has changed since you read it. Read it again, and send the version that you got.')
  }
}

export class VersionRequired extends HttpError {
  constructor () {
    super(428, 'Send the version of the data that you change: If-Match with the value of ETag, or * for any.')
  }
}
