import { subcommands, type Command } from './command.ts'
import {
  disable, enable, endSessions, events, expirePassword, remove, resetFactors, sendResetMail, setPassword, show,
  verifyEmail,
} from './user/actions.ts'
import { add, invite } from './user/add.ts'
import { bulk } from './user/bulk.ts'
import { change } from './user/change.ts'
import { data } from './user/data.ts'
import { download, exportUsers } from './user/export.ts'
import { importUsers } from './user/import.ts'
import { list } from './user/list.ts'

const HELP = `Usage: gatehouse user add USERNAME EMAIL [--name NAME] [--external-id ID] [--verified] [--hash]
                          [--json]
       gatehouse user invite USERNAME EMAIL [--name NAME] [--external-id ID] [--json]
       gatehouse user change USER [--name NAME] [--username NAME] [--email EMAIL] [--language CODE]
                             [--time-zone ZONE] [--external-id ID] [--json]
       gatehouse user data USER [--set FILE] [--if-version N] [--json]
       gatehouse user list [--search TEXT] [--disabled] [--unconfirmed] [--limit N] [--after ID] [--json]
       gatehouse user import FILE [--from SYSTEM] [--hash-config FILE] [--format FORMAT] [--dry-run]
                             [--report FILE] [--map FILE] [--json]
       gatehouse user export [--with-hashes]
       gatehouse user download USER
       gatehouse user bulk ACTION [--search TEXT] [--state STATE] [--confirmed yes|no] [--factors KIND]
                      [--all] [--dry-run] [--count N] [--report FILE] [--json]
       gatehouse user show|events|disable|enable|verify-email|set-password USER [--json]
       gatehouse user expire-password|send-reset-mail|end-sessions|reset-factors USER [--json]
       gatehouse user delete USER [--yes] [--json]

  add            creates an account. Without --verified, the owner must confirm the email address
                 within 7 days, or the account is deleted. With --hash, it reads a password hash that this
                 or another system made, in a form that import reads, instead of the password
  invite         creates an account without a password, and sends its owner a mail with a link to choose
                 one, which also confirms the address. The link is valid for 7 days
  change         changes what is given; an empty value removes a name, language, time zone or external id.
                 Another email needs the link in a mail to it, and the former address can undo it
  data           prints what applications keep about the user, as JSON, and with --json also its version.
                 --set replaces it by the content of a file, or of standard input (-), with --if-version
                 only if it has this version
  list           prints the accounts in the order of their ids, 50 or --limit at a time. --search finds
                 a part of a username, email or name, or an external id. --disabled and --unconfirmed print
                 only those
  import         adds accounts from a file, with their password hashes. Accounts that exist are skipped, so
                 that it can be run again. --dry-run only checks the file. --report writes all refused
                 rows to a file, --map the old and the new id of each account. --from reads the
                 export of auth0, firebase (with --hash-config FILE), keycloak, supabase or better-auth.
                 FORMAT is ndjson, csv or json. See docs/moving.md
  export         prints all accounts as NDJSON, which import reads. --with-hashes adds the password hashes
  bulk           changes all accounts that a search finds: ACTION is disable, enable, end-sessions,
                 expire-password or delete. STATE is active or disabled; KIND is none, any, totp or passkey.
                 Asks for the number of accounts, unless --count names it. --dry-run only counts. Operators
                 are skipped. It can be stopped, and run again for the rest. --all: without a search
  download       prints everything that is stored about one account as JSON, the same that its owner can
                 download. The owner sees it in the list of events
  show           prints the account and its sessions
  events         prints what happened to the account: the newest 100 events, with who did it
  disable        ends all sessions and prevents sign-in
  enable         allows sign-in again
  set-password   sets a new password, ends all sessions and notifies the owner by mail
  expire-password
                 for a password that leaked: it is wrong from now on, all sessions end, and a mail tells the
                 owner to choose another one through a reset
  verify-email   confirms the email address: you vouch for it
  send-reset-mail
                 sends the mail of a password reset, at most five an hour for each mailbox
  end-sessions   ends all sessions
  reset-factors  removes every second factor and passkey, for an owner who lost them, and notifies
                 the owner by mail. An operator loses that right until gatehouse operator add
  delete         deletes the account and all its data. Asks for the username, unless --yes is given

USER is a username, an email, an id such as id:42, or the id in another system, such as
external:c-1815. The password is prompted for without echo, or read from the first line of standard
input, and must meet the password rules. Access tokens of ended sessions are refused within a second.

Examples
  gatehouse user add ada ada@example.com --name 'Ada Lovelace' --verified
  gatehouse user add ada ada@example.com < password.txt
  gatehouse user add ada ada@example.com --hash --verified < hash.txt
  gatehouse user list --search example.com
  gatehouse user show ada@example.com --json
  gatehouse user change ada --time-zone Europe/London --external-id ''
  gatehouse user data ada --set data.json
  gatehouse user disable id:42
  gatehouse user show external:c-1815
  gatehouse user delete ada@example.com
  gatehouse user import users.csv --dry-run
  gatehouse user import users.csv --map ids.csv
  gatehouse user export > users.ndjson
`

const command: Command = {
  help: HELP,
  options: {
    name: { type: 'string' },
    'external-id': { type: 'string' },
    username: { type: 'string' },
    email: { type: 'string' },
    language: { type: 'string' },
    'time-zone': { type: 'string' },
    set: { type: 'string' },
    'if-version': { type: 'string' },
    verified: { type: 'boolean' },
    hash: { type: 'boolean' },
    search: { type: 'string' },
    state: { type: 'string' },
    confirmed: { type: 'string' },
    factors: { type: 'string' },
    all: { type: 'boolean' },
    count: { type: 'string' },
    limit: { type: 'string' },
    after: { type: 'string' },
    disabled: { type: 'boolean' },
    yes: { type: 'boolean' },
    unconfirmed: { type: 'boolean' },
    from: { type: 'string' },
    format: { type: 'string' },
    report: { type: 'string' },
    map: { type: 'string' },
    'hash-config': { type: 'string' },
    'dry-run': { type: 'boolean' },
    'with-hashes': { type: 'boolean' },
  },
  run: subcommands({
    add,
    invite,
    change,
    data,
    list,
    import: importUsers,
    export: exportUsers,
    show,
    download,
    bulk,
    events,
    disable,
    enable,
    'verify-email': verifyEmail,
    'set-password': setPassword,
    'expire-password': expirePassword,
    'send-reset-mail': sendResetMail,
    'end-sessions': endSessions,
    'reset-factors': resetFactors,
    delete: remove,
  }),
}

export default command
