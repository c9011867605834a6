import { add, change, list, remove, rotateSecret, show } from './app-actions.ts'
import { subcommands, type Command } from './command.ts'

const HELP = `Usage: gatehouse app add NAME --redirect URL [--redirect URL …] [--public] [--trusted]
                     [--pkce-optional] [--post-logout URL …] [--backchannel-logout URL]
                     [--resource 'URI SCOPE …' …] [--key FILE …] [--dpop-required] [--json]
       gatehouse app add NAME --device [--public] [--trusted] [--redirect URL …] [--json]
       gatehouse app add NAME --machine [--resource 'URI SCOPE …' …] [--serves URI] [--key FILE …]
                     [--dpop-required] [--json]
       gatehouse app change ID [--name NAME] [--redirect URL …] [--post-logout URL …]
                     [--backchannel-logout URL] [--trusted|--untrusted]
                     [--pkce-optional|--pkce-required] [--resource 'URI SCOPE …' …]
                     [--serves URI] [--key FILE …] [--dpop-required|--dpop-optional]
                     [--device|--no-device] [--json]
       gatehouse app list [--registered [--limit N] [--after CURSOR]] [--json]
       gatehouse app show|rotate-secret|remove ID [--json]

  add            lets an application sign users in with OpenID Connect. Prints its client_id, and once
                 its secret
  change         changes the settings that are named. A list replaces the former list, and an empty
                 --post-logout, --backchannel-logout, --resource, --serves or --key removes it. The
                 kind stays
  list           prints the applications that operators added, and when each was last used.
                 --registered prints those that registered themselves and that a user has allowed,
                 the newest first, 50 or --limit at a time
  show           prints the settings of an application
  rotate-secret  prints a new secret. The former one is also accepted for 24 hours, and none before
                 it: if a secret has leaked, rotate twice
  remove         ends what the application holds, at once

  --redirect            where users return after the sign-in, compared exactly: https:, and for a
                        public application http://127.0.0.1, http://[::1] and http://localhost with
                        any port, or a scheme such as com.example.app:/callback
  --public              runs in a browser or on a device, and has no secret
  --device              signs users in on a television or in a command line: the user types a code into
                        a browser
  --machine             gets tokens of its own, or introspects those of others, and signs no user in
  --trusted             asks users for no consent. For your own applications only
  --pkce-optional       for an application with a secret that cannot send PKCE
  --post-logout         where users may return after a sign-out
  --backchannel-logout  is told when a user signs out
  --resource            an API of OPENID_RESOURCES for which it may get tokens, by its URI, with the
                        scopes that it may have. Without scopes, all of them
  --serves              the API of OPENID_RESOURCES that it is: it introspects the tokens for it
  --key                 the file of a public key (PEM, JWK or JWKS), with which it authenticates
                        instead of a secret (private_key_jwt). Name both while one replaces the other
  --dpop-required       its tokens must be bound to a key that it proves to have (DPoP)

ID is the client_id, or what app list prints. NAME is what users read when they are asked for their
consent. See docs/openid.md.

Examples
  gatehouse app add Wiki --redirect https://wiki.example.com/callback
  gatehouse app add Nightly --machine --resource 'https://api.example.com/orders orders:read'
  gatehouse app add 'Example for phones' --public --redirect com.example.app:/callback
  gatehouse app add 'Example for televisions' --public --device
  gatehouse app rotate-secret 3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

const command: Command = {
  help: HELP,
  options: {
    name: text,
    redirect: { ...text, multiple: true },
    'post-logout': { ...text, multiple: true },
    'backchannel-logout': text,
    public: flag,
    device: flag,
    'no-device': flag,
    machine: flag,
    trusted: flag,
    untrusted: flag,
    'pkce-optional': flag,
    'pkce-required': flag,
    resource: { ...text, multiple: true },
    serves: text,
    key: { ...text, multiple: true },
    'dpop-required': flag,
    'dpop-optional': flag,
    registered: flag,
    limit: text,
    after: text,
  },
  run: subcommands({ add, change, list, show, 'rotate-secret': rotateSecret, remove }),
}

export default command
