import { Type } from '@sinclair/typebox'
import { InvalidCsrfToken, type HttpError } from '../src/errors.ts'
import { FreshProofRequired } from '../src/factors/errors.ts'
import { crossSite, errorResponse, Failure } from './common.ts'

export const FreshProofNeeded = Type.Object({
  ...Failure.properties,
  methods: Type.Optional(Type.Array(Type.String(), {
    description: 'With `Confirm it is you`: what POST /api/auth/reauthenticate accepts from this user',
  })),
}, { title: 'ForbiddenFailure' })

/** The 403 of a route that changes how one signs in. */
export function forbiddenWithoutFreshProof (reasons = '', ...more: HttpError[]) {
  return {
    403: errorResponse(
      'The identity was not confirmed within `FRESH_SECONDS`, the CSRF token is missing or wrong, ' +
      `${reasons}or the request comes from a page of another site.`,
      [new FreshProofRequired(['totp', 'recovery']), new InvalidCsrfToken(), ...more, crossSite],
      FreshProofNeeded
    ),
  }
}
