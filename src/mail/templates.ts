import { escapeHtml } from '../pages/html.ts'

/** Who writes: the name of the service, and the address that browsers use. */
export interface Sender { brand: string, url: string }

export interface Mail { subject: string, text: string, html: string }

/** Somewhere in it stands what to do for a reader who knows nothing about all this. */
interface Letter {
  subject: string
  paragraphs: string[]
  button?: { label: string, link: string }
  last: string
}

export function verifyMail (sender: Sender, { username, link }: { username: string, link: string }): Mail {
  return render(sender, {
    subject: `Confirm your address for ${sender.brand}`,
    paragraphs: [
      `An account with the username "${plain(username)}" was made at ${sender.brand} with this address. Confirm that it is yours, and the account is open.`,
      'The link works once, for 24 hours.',
    ],
    button: { label: 'Confirm my address', link },
    last: 'If that was not you, leave the link alone: without it nobody can use the account, and it will be deleted in a week.',
  })
}

export function resetMail (sender: Sender, { username, link }: { username: string, link: string }): Mail {
  return render(sender, {
    subject: `Choose a new password for ${sender.brand}`,
    paragraphs: [
      `A new password was asked for your account "${plain(username)}" at ${sender.brand}.`,
      'The link works once, for one hour.',
    ],
    button: { label: 'Choose a new password', link },
    last: 'If that was not you, there is nothing to do: your password stays as it is, and only this mailbox has the link.',
  })
}

/** For a reset of what is not there. */
export function noPasswordMail (sender: Sender, { username }: { username: string }): Mail {
  return render(sender, {
    subject: `Your ${sender.brand} account has no password`,
    paragraphs: [
      `A new password was asked for your account "${plain(username)}" at ${sender.brand}, but it has none: you sign in through another service that you chose when you came first.`,
      'On the sign-in page, take the button of that service.',
    ],
    button: { label: 'Sign in', link: `${sender.url}/login` },
    last: 'If you did not ask, there is nothing to do: nothing has changed.',
  })
}

export function passwordChangedMail (sender: Sender, { username }: { username: string }): Mail {
  return render(sender, {
    subject: `Your ${sender.brand} password was changed`,
    paragraphs: [
      `The password of your account "${plain(username)}" at ${sender.brand} was just changed, and other devices were signed out.`,
      'If that was not you, somebody else has got in: choose a new password now.',
    ],
    button: { label: 'Choose a new password', link: `${sender.url}/reset-password` },
    last: 'If that was you, all is well.',
  })
}

/** For an account that waits to be confirmed, too: whoever made it may be somebody else, and a reset proves the address. */
export function alreadyRegisteredMail (sender: Sender, { username }: { username: string }): Mail {
  return render(sender, {
    subject: `You already have a ${sender.brand} account`,
    paragraphs: [
      `Somebody tried to register at ${sender.brand} with this address, but it has an account already: its username is "${plain(username)}".`,
      `If that was you, sign in with it. If you have forgotten the password, or never confirmed this address, choose a new one: ${sender.url}/reset-password`,
    ],
    button: { label: 'Sign in', link: `${sender.url}/login` },
    last: 'If that was not you, there is nothing to do: no second account was made, and whoever tried was not told about yours.',
  })
}

export interface SignIn { username: string, hasPassword: boolean, device: string, ip: string, at: string }

export function newSignInMail (sender: Sender, { username, hasPassword, device, ip, at }: SignIn): Mail {
  return render(sender, {
    subject: `New sign-in to your ${sender.brand} account`,
    paragraphs: [
      `Your account "${plain(username)}" at ${sender.brand} was used on a device that we have not seen before: ${plain(device)}, from the address ${plain(ip)}, on ${TIME.format(new Date(at))} UTC.`,
      hasPassword
        ? 'If that was not you, somebody knows your password: choose a new one now, which also signs that device out.'
        : 'If that was not you, somebody can use the service that you sign in with: change your password there, and sign that device out here.',
    ],
    button: hasPassword
      ? { label: 'Choose a new password', link: `${sender.url}/reset-password` }
      : { label: 'See my devices', link: `${sender.url}/dashboard` },
    last: 'If that was you, all is well.',
  })
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** What came from outside stays on one line and keeps its length in bounds: it is not to become a letter of its own. */
function plain (value: string): string {
  return value.replace(/[\p{C}\s]+/gu, ' ').trim().slice(0, 100)
}

/** Both forms come from the same words. Nothing in a letter is HTML, so everything is escaped. */
function render ({ brand, url }: Sender, { subject, paragraphs, button, last }: Letter): Mail {
  const signature = `${brand} sent this mail because your address was given at ${url}. Nobody reads replies to it.`
  const text = ['Hello,', ...paragraphs, ...button ? [`${button.label}:\n${button.link}`] : [], last, `-- \n${signature}`].join('\n\n') + '\n'
  return { subject, text, html: page(subject, paragraphs, button, last, signature) }
}

function page (subject: string, paragraphs: string[], button: Letter['button'], last: string, signature: string): string {
  const paragraph = (words: string, style = '') => `<p style="margin:0 0 16px;${style}">${escapeHtml(words)}</p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark }
@media (prefers-color-scheme: dark) { .sheet { background: #1c1f24 !important; color: #e8eaed !important } .small { color: #a5abb3 !important } }
</style>
</head>
<body style="margin:0;padding:24px 12px">
<div class="sheet" style="max-width:520px;margin:0 auto;padding:32px;border:1px solid #8884;border-radius:12px;background:#ffffff;color:#1c1f24;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>
${paragraphs.map(words => paragraph(words)).join('\n')}
${button ? `<p style="margin:24px 0"><a href="${escapeHtml(button.link)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1f5fd1;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(button.label)}</a></p>` : ''}
${paragraph(last)}
<p class="small" style="margin:24px 0 0;font-size:13px;color:#5f6670">${escapeHtml(signature)}</p>
</div>
</body>
</html>
`
}
