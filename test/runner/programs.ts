/** The programs that tests in these files need. */
const PROGRAMS: Array<[files: RegExp, programs: string[]]> = [
  [/./, ['redis-server', 'hydra', 'gcc', 'libc6-dev']],
  [/^test\/(pages\/|engines\/chromium|deploy\/(add-sign-in|openid|nginx\.long))/, ['chromium-headless-shell']],
  [/pages\/weight/, ['chromium']],
  [/(pages|faults)\/device-/, ['chromium', 'openssl']],
  [/engines\/firefox/, ['firefox-esr']],
  [/engines\/webkit/, ['WebKitWebDriver', 'Xvfb']],
  [/cli\/doctor/, ['openssl']],
  [/faults\/.*\.long/, ['faketime']],
  [/attacks\/.*\.long/, ['sqlmap', 'slowhttptest']],
  [/deploy\/smoke/, ['nginx', 'openssl']],
  [/deploy\/.*\.long/, ['nginx', 'caddy', 'openssl', 'sslscan', 'systemd-analyze', 'pg_ctlcluster']],
  [/deploy\/.*(postgres|failover|zone)/, ['haproxy']],
  [/deploy\/pgbouncer/, ['pgbouncer']],
  [/deploy\/debian/, ['curl', 'npm', 'git']],
  [/deploy\/openid-python/, ['python3', 'python3-authlib', 'python3-flask', 'python3-requests']],
  [/deploy\/openid-apache/, ['apache2-bin', 'libapache2-mod-auth-openidc', 'libapache2-mod-oauth2']],
  [/deploy\/integrating/, [
    'golang-go', 'golang-github-golang-jwt-jwt-dev', 'python3', 'python3-jwt', 'python3-cryptography',
  ]],
]

export const programsFor = (files: string[]): string[] => [...new Set(
  PROGRAMS.filter(([pattern]) => files.some(file => pattern.test(file))).flatMap(([, programs]) => programs)
)]
