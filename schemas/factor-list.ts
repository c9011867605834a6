import { Type } from '@sinclair/typebox'
import { failures, response, textOrNull } from './common.ts'
import { SIGNED_IN } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'
import { Passkey } from './passkeys.ts'
import { ConnectedIdentity } from './providers.ts'

export const ListFactorsSchema = {
  summary: 'List the passkeys, second factors and connected providers',
  description: '`passkeyUserId` is what authenticators know the account by, for the signal methods of ' +
    '`PublicKeyCredential`. It is null until a passkey is added.',
  tags: ['Second factor'],
  security: SIGNED_IN,
  response: {
    200: response('The factors of the account.', Type.Object({
      passkeys: Type.Array(Passkey),
      passkeyUserId: textOrNull(),
      totp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
      recoveryCodesLeft: Type.Integer({ description: 'Recovery codes that were not used yet' }),
      required: Type.Boolean({ description: 'Whether every account needs a second factor' }),
      identities: Type.Array(ConnectedIdentity, { description: 'Users of providers who can sign in to the account' }),
      methods: Type.Array(Type.String(), {
        description: 'How the identity can be confirmed: by POST /api/auth/reauthenticate, or through a provider',
      }),
    }, {
      title: 'Factors',
      examples: [{
        passkeys: [Passkey.examples[0]],
        passkeyUserId: 'XmJ2aWR0cmFuZG9tLWhhbmRsZQ',
        totp: true,
        recoveryCodesLeft: 10,
        required: false,
        identities: [ConnectedIdentity.examples[0]],
        methods: ['passkey', 'totp', 'recovery'],
      }],
    })),
    ...failures(401, 503),
    ...TOO_MANY_REQUESTS,
  },
}
