// @ts-check

/** The words of the mails. What is in braces is filled in. */
export default {
  greeting: 'Hello,',
  address: 'If the button does not work, open this address:',
  code: 'Type this code in the browser in which you asked for it:',
  signature: '{brand} sent this email because your address was given at {url}. Replies are not read.',
  device: '{browser} on {system}',
  unknownDevice: 'Unknown device',
  mails: {
    verify: {
      subject: 'Confirm your email address for {brand}',
      paragraphs: [
        'An account with the username “{username}” was created at {brand} with this email address. ' +
          'Please confirm that the address is yours. You can sign in after that.',
        'The link works once and expires after 24 hours.',
      ],
      button: 'Confirm email address',
      advice: 'If that was not you, ignore this email. The account cannot be used without the link, ' +
        'and we delete it after a week.',
    },
    reset: {
      subject: 'Choose a new password for {brand}',
      paragraphs: [
        'A password reset was requested for your account “{username}” at {brand}.',
        'The link works once and expires after one hour.',
      ],
      button: 'Choose a new password',
      advice: 'If that was not you, ignore this email. Your password stays the same, ' +
        'and the link was sent to this mailbox only.',
    },
    invite: {
      subject: 'Your invitation to {brand}',
      paragraphs: [
        'An account with the username “{username}” was created for you at {brand}.',
        'Choose a password to use it. The link works once and expires after seven days.',
      ],
      button: 'Choose a password',
      advice: 'If you do not know what this is about, ignore this email. The account cannot be used without the link.',
    },
    'no-password': {
      subject: 'Your {brand} account has no password',
      paragraphs: [
        'A password reset was requested for your account “{username}” at {brand}. ' +
          'This account has no password, because you sign in to it through another service.',
        'To sign in, use the button of that service on the sign-in page.',
      ],
      button: 'Sign in',
      advice: 'If that was not you, ignore this email. Your account has not changed.',
    },
    'sign-in': {
      subject: 'Sign in to {brand}',
      paragraphs: [
        'A sign-in to your account “{username}” at {brand} was requested.',
        'The button signs you in on the device on which you open it. This email can be used once, within ten ' +
          'minutes. Do not forward it.',
      ],
      button: 'Sign in on this device',
      advice: 'If that was not you, ignore this email: nobody can sign in without it. Never tell anyone the code.',
    },
    'sign-up': {
      subject: 'Create your {brand} account',
      paragraphs: [
        'Someone asked to sign in at {brand} with this email address, which has no account yet.',
        'You can create one now, without a password. This email can be used once, within ten minutes. Do not ' +
          'forward it.',
      ],
      button: 'Create an account',
      advice: 'If that was not you, ignore this email: no account is created without it.',
    },
    'confirm-identity': {
      subject: 'Your code for {brand}',
      paragraphs: [
        'Please confirm that it is you who wants to change your account “{username}” at {brand}.',
        'The code works once, within ten minutes. Never tell anyone the code.',
      ],
      button: 'Go to your account',
      advice: 'If that was not you, someone is using a device on which you are signed in. Look at the devices in ' +
        'your account now.',
    },
    'password-changed': {
      subject: 'Your {brand} password was changed',
      paragraphs: [
        'The password of your account “{username}” at {brand} was changed. Your other devices were signed out.',
        'If that was not you, someone else has access to your account. Choose a new password now.',
      ],
      button: 'Choose a new password',
      advice: 'If that was you, you can ignore this email.',
    },
    'breached-password': {
      subject: 'Your {brand} password is not safe',
      paragraphs: [
        'Someone signed in to your account “{username}” at {brand} with the right password. This password is on ' +
          'a public list of passwords that were exposed in data breaches, perhaps at another service.',
        'Attackers try such passwords first. Choose a new password now, here and wherever else you use this one.',
      ],
      button: 'Choose a new password',
      advice: 'If that was not you, someone else knows your password already. A new one also signs their devices out.',
    },
    'password-expired': {
      subject: 'Choose a new {brand} password',
      paragraphs: [
        'An operator of {brand} has expired the password of your account “{username}”, because other people may ' +
          'know it. You are signed out on all devices.',
        'The old password no longer works. Choose a new one, here and wherever else you used the old one.',
      ],
      button: 'Choose a new password',
      advice: 'On the page that opens, enter your email address: you then get a link to choose a new password.',
    },
    'already-registered': {
      subject: 'You already have a {brand} account',
      paragraphs: [
        'Someone tried to register at {brand} with this email address. ' +
          'It already belongs to an account with the username “{username}”.',
        'If that was you, sign in to that account. If you forgot its password, or never confirmed this address, ' +
          'choose a new password: {url}/reset-password',
      ],
      button: 'Sign in',
      advice: 'If that was not you, ignore this email. No second account was created, ' +
        'and the person was not told about your account.',
    },
    'change-email': {
      subject: 'Confirm your new email address for {brand}',
      paragraphs: [
        'This address was entered as the new email address of the account “{username}” at {brand}. ' +
          'Please confirm that the address is yours. Until then, the account keeps its present address.',
        'The link works once and expires after one hour.',
      ],
      button: 'Use this address',
      advice: 'If that was not you, ignore this email. Then nothing changes.',
    },
    'address-taken': {
      subject: 'Your email address at {brand}',
      paragraphs: [
        'Someone entered your address as the new email address of another account at {brand}. ' +
          'It belongs to your account “{username}”, and stays there. Nothing has changed.',
        'To use it for the other account, delete this one or give it another address first.',
      ],
      button: 'Go to your account',
      advice: 'If that was not you, you can ignore this email.',
    },
    'email-changed': {
      subject: 'Your {brand} email address was changed',
      paragraphs: [
        'The email address of your account “{username}” at {brand} was changed to {email}. ' +
          'From now on, we send emails about the account there.',
        'If that was not you, someone else has access to your account. Restore this address now: ' +
          'this also signs all devices out. The link works once, within 72 hours.',
      ],
      button: 'Restore this address',
      advice: 'If that was you, you can ignore this email.',
    },
    'email-displaced': {
      subject: 'Another address for your {brand} account',
      paragraphs: [
        'This is no longer the email address of the account “{username}” at {brand}. ' +
          'From now on, we send mails about the account to another address.',
        'If that was not you, someone else has access to your account. ' +
          'Sign in with your username now, choose a new password, and enter your address again.',
      ],
      button: 'Sign in',
      advice: 'If that was you, you can ignore this email.',
    },
    'email-restored': {
      subject: 'Your {brand} email address was restored',
      paragraphs: [
        'This is again the email address of your account “{username}” at {brand}. All devices were signed out.',
        'If that was not you, or if you did not change the address before, someone else has access to your account. ' +
          'Choose a new password now, and check your ways to sign in.',
      ],
      button: 'Choose a new password',
      advice: 'If you changed the address yourself by mistake, you can ignore this email.',
    },
    'factors-changed': {
      subject: 'A way to sign in to your {brand} account was changed',
      paragraphs: [
        '{change}',
        'If that was not you, someone else has access to your account. ' +
          'Look at its ways to sign in and its devices now.',
      ],
      button: 'See your account',
      advice: 'If that was you, you can ignore this email.',
    },
    'new-sign-in': {
      subject: 'New sign-in to your {brand} account',
      paragraphs: [
        'Someone signed in to your account “{username}” at {brand} on a new device: ' +
          '{device}, from the address {ip}, on {time} UTC.',
        'If that was not you, someone knows your password. Choose a new password now. ' +
          'This also signs that device out.',
      ],
      button: 'Choose a new password',
      advice: 'If that was you, you can ignore this email.',
    },
    'new-sign-in-without-password': {
      subject: 'New sign-in to your {brand} account',
      paragraphs: [
        'Someone signed in to your account “{username}” at {brand} on a new device: ' +
          '{device}, from the address {ip}, on {time} UTC.',
        'If that was not you, someone has access to the service that you sign in with. ' +
          'Change your password there, and sign that device out here.',
      ],
      button: 'See your devices',
      advice: 'If that was you, you can ignore this email.',
    },
    'session-theft': {
      subject: 'Copied sign-in refused for your {brand} account',
      paragraphs: [
        'Someone tried to use a copy of your sign-in to {brand}, account “{username}”, on another device: ' +
          '{device}, from the address {ip}, on {time} UTC.',
        'The copy was refused, and you stay signed in. A program on your own device may have copied the sign-in: ' +
          'check the device for malware. Then sign it out in your account, so that the copy is worth nothing at ' +
          'all, and sign in again.',
      ],
      button: 'See your devices',
      advice: 'If you moved your browser to a new computer yourself, sign in there again. You can then ignore ' +
        'this email.',
    },
    'more-alerts': {
      subject: 'More alerts about your {brand} account: {count}',
      paragraphs: [
        'We sent you several emails about your account “{username}” at {brand} that said: {alert}',
        'It happened more often, and this email takes the place of one for each time. Number of further ' +
          'times: {count}. The first was on {from} UTC, the last on {until} UTC.',
        'If that was not you, someone else has access to your account. ' +
          'Look at its ways to sign in and its devices now.',
      ],
      button: 'See your account',
      advice: 'If that was you, you can ignore this email.',
    },
  },
  changes: {
    totp_added: 'An authenticator app was added to your account “{username}” at {brand}.',
    totp_removed: 'The authenticator app was removed from your account “{username}” at {brand}.',
    recovery_codes_created: 'New recovery codes were created for your account “{username}” at {brand}. ' +
      'The former ones are void.',
    recovery_code_used: 'A recovery code was used to sign in to your account “{username}” at {brand}.',
    passkey_added: 'A passkey was added to your account “{username}” at {brand}.',
    passkey_removed: 'A passkey was removed from your account “{username}” at {brand}.',
    password_added: 'A password was added to your account “{username}” at {brand}.',
    provider_linked: 'Sign-in through an external provider was connected to your account “{username}” at {brand}.',
    provider_removed: 'Sign-in through an external provider was disconnected from your account ' +
      '“{username}” at {brand}.',
    factors_reset: 'An operator removed all second factors and passkeys from your account “{username}” at {brand}.',
    operator_factors_reset: 'All second factors and passkeys were removed from your account “{username}” at {brand}. ' +
      'The account is no longer an operator, until an administrator names it again.',
  },
}
