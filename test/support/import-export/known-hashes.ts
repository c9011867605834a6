/**
 * PASSWORD of test/support/browser.ts, hashed by other programs: the `argon2` of its authors, and Python's hashlib.
 * FIREBASE is the example that the authors of Firebase's scrypt publish, with its password and its project.
 */
export const KNOWN_HASHES: Record<string, string> = {
  argon2id: '$argon2id$v=19$m=1024,t=2,p=2$c2FsdHNhbHRzYWx0MTIzNA$jzfTe4Q8YEnrYZulCkQaQe0ZCgXjMlt5lFjvIHEMQ38',
  argon2i: '$argon2i$v=19$m=512,t=3,p=1$c2FsdHNhbHRzYWx0MTIzNA$OFOj/BYkG1EZ277uMoIOl1ZszjjhvbW+',
  scrypt: '$scrypt$ln=10,r=8,p=1$c2FsdHNhbHRzYWx0MTIzNA$lHQIgzK4ro2egM1+LSeotdEynHBj2/bIP4q0jysGJlE',
  'pbkdf2-sha1': '$pbkdf2-sha1$i=1000$c2FsdHNhbHRzYWx0MTIzNA$CezoGNkvRwaTr7US04EK66FdRtw',
  'pbkdf2 of passlib': '$pbkdf2$1000$c2FsdHNhbHRzYWx0MTIzNA$CezoGNkvRwaTr7US04EK66FdRtw',
  'pbkdf2-sha256': '$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0MTIzNA$H1sIebbTGNeoVbi+nT/Y+HQyQVnzUsNmHEbOXHZ4HUo',
  'pbkdf2-sha256 of passlib':
    '$pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0MTIzNA$H1sIebbTGNeoVbi.nT/Y.HQyQVnzUsNmHEbOXHZ4HUo',
  'pbkdf2-sha512': '$pbkdf2-sha512$i=1000,l=64$c2FsdHNhbHRzYWx0MTIzNA' +
    '$FYHArcRLECDRSvadDac+LXn1q60AqrApeVK1iWb9gwYG6rzLEecl/aO3648yVvua1G8UK7Gt8WpL2Kcz0+olJA',
}

export const FIREBASE = {
  password: 'user1password',
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memoryCost: 14,
  salt: '42xEC+ixf3L2lw==',
  hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
}

export const FIREBASE_HASH = `$fbscrypt$v=1,n=${FIREBASE.memoryCost},r=${FIREBASE.rounds},p=1,` +
  `ss=${FIREBASE.saltSeparator},sk=${FIREBASE.signerKey}$${FIREBASE.salt}$${FIREBASE.hash}`
