// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Guten Tag,',
  address: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  code: 'Geben Sie diesen Code in dem Browser ein, in dem Sie ihn angefordert haben:',
  signature: '{brand} hat diese E-Mail gesendet, weil Ihre Adresse auf {url} angegeben wurde. ' +
    'Antworten werden nicht gelesen.',
  device: '{browser} unter {system}',
  unknownDevice: 'Unbekanntes Gerät',
  mails: {
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {brand}',
      paragraphs: [
        'Bei {brand} wurde mit dieser E-Mail-Adresse ein Konto mit dem Benutzernamen „{username}“ angelegt. ' +
          'Bitte bestätigen Sie, dass die Adresse Ihnen gehört. Danach können Sie sich anmelden.',
        'Der Link funktioniert nur einmal und läuft nach 24 Stunden ab.',
      ],
      button: 'E-Mail-Adresse bestätigen',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Link kann das Konto nicht benutzt ' +
        'werden, und wir löschen es nach einer Woche.',
    },
    reset: {
      subject: 'Wählen Sie ein neues Passwort für {brand}',
      paragraphs: [
        'Für Ihr Konto „{username}“ bei {brand} wurde ein neues Passwort angefordert.',
        'Der Link funktioniert nur einmal und läuft nach einer Stunde ab.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt, wie es ist, ' +
        'und der Link wurde nur an dieses Postfach gesendet.',
    },
    invite: {
      subject: 'Ihre Einladung zu {brand}',
      paragraphs: [
        'Bei {brand} wurde ein Konto mit dem Benutzernamen „{username}“ für Sie angelegt.',
        'Wählen Sie ein Passwort, um es zu benutzen. Der Link funktioniert einmal und läuft nach sieben Tagen ab.',
      ],
      button: 'Passwort wählen',
      advice: 'Wenn Sie nicht wissen, worum es geht, ignorieren Sie diese E-Mail. Ohne den Link kann das ' +
        'Konto nicht benutzt werden.',
    },
    'no-password': {
      subject: 'Ihr Konto bei {brand} hat kein Passwort',
      paragraphs: [
        'Für Ihr Konto „{username}“ bei {brand} wurde ein neues Passwort angefordert. ' +
          'Das Konto hat kein Passwort, weil Sie sich über einen anderen Dienst anmelden.',
        'Benutzen Sie zum Anmelden die Schaltfläche dieses Dienstes auf der Anmeldeseite.',
      ],
      button: 'Anmelden',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail. An Ihrem Konto hat sich nichts geändert.',
    },
    'sign-in': {
      subject: 'Anmeldung bei {brand}',
      paragraphs: [
        'Für Ihr Konto „{username}“ bei {brand} wurde eine Anmeldung angefordert.',
        'Die Schaltfläche meldet Sie auf dem Gerät an, auf dem Sie sie anklicken. Diese E-Mail gilt einmal und zehn ' +
          'Minuten lang. Leiten Sie sie nicht weiter.',
      ],
      button: 'Auf diesem Gerät anmelden',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Ohne sie kann sich niemand anmelden. ' +
        'Verraten Sie den Code niemandem.',
    },
    'sign-up': {
      subject: 'Ihr Konto bei {brand} anlegen',
      paragraphs: [
        'Jemand wollte sich mit dieser E-Mail-Adresse bei {brand} anmelden. Zu ihr gibt es noch kein Konto.',
        'Sie können jetzt eines anlegen, ohne Passwort. Diese E-Mail können Sie nur einmal und nur zehn Minuten ' +
          'lang verwenden. Leiten Sie sie nicht weiter.',
      ],
      button: 'Konto anlegen',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Ohne sie wird kein Konto angelegt.',
    },
    'confirm-identity': {
      subject: 'Ihr Code für {brand}',
      paragraphs: [
        'Bitte bestätigen Sie, dass Sie selbst Ihr Konto „{username}“ bei {brand} ändern möchten.',
        'Der Code funktioniert nur einmal und läuft nach zehn Minuten ab. Verraten Sie ihn niemandem.',
      ],
      button: 'Zu Ihrem Konto',
      advice: 'Falls Sie das nicht waren, benutzt gerade jemand ein Gerät, auf dem Sie angemeldet sind. Sehen Sie ' +
        'sich jetzt die Geräte in Ihrem Konto an.',
    },
    'password-changed': {
      subject: 'Ihr Passwort bei {brand} wurde geändert',
      paragraphs: [
        'Das Passwort Ihres Kontos „{username}“ bei {brand} wurde geändert. Ihre anderen Geräte wurden abgemeldet.',
        'Falls Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto. Wählen Sie jetzt ein neues Passwort.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'breached-password': {
      subject: 'Ihr Passwort bei {brand} ist nicht sicher',
      paragraphs: [
        'Bei Ihrem Konto „{username}“ bei {brand} hat sich jemand mit dem richtigen Passwort angemeldet. Es steht ' +
          'auf einer öffentlichen Liste von Passwörtern aus Datenlecks, vielleicht bei einem anderen Dienst.',
        'Angreifer probieren solche Passwörter zuerst. Wählen Sie jetzt ein neues Passwort, ' +
          'hier und überall, wo Sie das bisherige noch benutzen.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Falls Sie das nicht waren, kennt jemand anderes Ihr Passwort bereits. ' +
        'Ein neues meldet auch dessen Geräte ab.',
    },
    'password-expired': {
      subject: 'Wählen Sie ein neues Passwort bei {brand}',
      paragraphs: [
        'Ein Betreiber von {brand} hat das Passwort Ihres Kontos „{username}“ für ungültig erklärt, weil andere ' +
          'es kennen könnten. Sie sind auf allen Geräten abgemeldet.',
        'Das alte Passwort gilt nicht mehr. Wählen Sie ein neues, hier und überall, wo Sie das alte noch benutzen.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Geben Sie auf der Seite, die sich öffnet, Ihre E-Mail-Adresse ein: Sie erhalten dann einen Link, ' +
        'um ein neues Passwort zu wählen.',
    },
    'already-registered': {
      subject: 'Sie haben schon ein Konto bei {brand}',
      paragraphs: [
        'Jemand wollte sich bei {brand} mit dieser E-Mail-Adresse registrieren. ' +
          'Sie gehört schon zu einem Konto mit dem Benutzernamen „{username}“.',
        'Falls Sie das waren, melden Sie sich bei diesem Konto an. Falls Sie sein Passwort vergessen oder diese ' +
          'Adresse nie bestätigt haben, wählen Sie ein neues Passwort: {url}/reset-password',
      ],
      button: 'Anmelden',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail. Es wurde kein zweites Konto angelegt, ' +
        'und die Person hat nichts über Ihr Konto erfahren.',
    },
    'change-email': {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {brand}',
      paragraphs: [
        'Diese Adresse wurde als neue E-Mail-Adresse des Kontos „{username}“ bei {brand} angegeben. Bitte ' +
          'bestätigen Sie, dass die Adresse Ihnen gehört. Bis dahin behält das Konto seine bisherige Adresse.',
        'Der Link funktioniert nur einmal und läuft nach einer Stunde ab.',
      ],
      button: 'Diese Adresse verwenden',
      advice: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail. Dann ändert sich nichts.',
    },
    'address-taken': {
      subject: 'Ihre E-Mail-Adresse bei {brand}',
      paragraphs: [
        'Jemand hat Ihre Adresse als neue E-Mail-Adresse eines anderen Kontos bei {brand} angegeben. ' +
          'Sie gehört zu Ihrem Konto „{username}“ und bleibt dort. Es hat sich nichts geändert.',
        'Um sie für das andere Konto zu verwenden, löschen Sie zuerst dieses, oder geben Sie ihm eine andere Adresse.',
      ],
      button: 'Zu Ihrem Konto',
      advice: 'Falls Sie das nicht waren, können Sie diese E-Mail ignorieren.',
    },
    'email-changed': {
      subject: 'Ihre E-Mail-Adresse bei {brand} wurde geändert',
      paragraphs: [
        'Die E-Mail-Adresse Ihres Kontos „{username}“ bei {brand} wurde in {email} geändert. ' +
          'Von jetzt an senden wir E-Mails zu diesem Konto dorthin.',
        'Falls Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto. Stellen Sie jetzt diese Adresse ' +
          'wieder her: Damit werden auch alle Geräte abgemeldet. Der Link funktioniert nur einmal und läuft nach ' +
          '72 Stunden ab.',
      ],
      button: 'Adresse wiederherstellen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'email-displaced': {
      subject: 'Eine andere Adresse für Ihr Konto bei {brand}',
      paragraphs: [
        'Dies ist nicht mehr die E-Mail-Adresse des Kontos „{username}“ bei {brand}. ' +
          'Von jetzt an senden wir E-Mails zu diesem Konto an eine andere Adresse.',
        'Falls Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto. Melden Sie sich jetzt mit Ihrem ' +
          'Benutzernamen an, wählen Sie ein neues Passwort, und geben Sie Ihre Adresse erneut an.',
      ],
      button: 'Anmelden',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'email-restored': {
      subject: 'Ihre E-Mail-Adresse bei {brand} wurde wiederhergestellt',
      paragraphs: [
        'Dies ist wieder die E-Mail-Adresse Ihres Kontos „{username}“ bei {brand}. Alle Geräte wurden abgemeldet.',
        'Falls Sie das nicht waren, oder falls Sie die Adresse vorher nicht selbst geändert haben, hat jemand ' +
          'anderes Zugriff auf Ihr Konto. Wählen Sie jetzt ein neues Passwort, und prüfen Sie Ihre Anmeldearten.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Falls Sie die Adresse selbst aus Versehen geändert haben, können Sie diese E-Mail ignorieren.',
    },
    'factors-changed': {
      subject: 'Eine Anmeldeart Ihres Kontos bei {brand} wurde geändert',
      paragraphs: [
        '{change}',
        'Falls Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto. ' +
          'Prüfen Sie jetzt die Anmeldearten und die Geräte Ihres Kontos.',
      ],
      button: 'Konto ansehen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'new-sign-in': {
      subject: 'Neue Anmeldung mit Ihrem Konto bei {brand}',
      paragraphs: [
        'Jemand hat sich bei Ihrem Konto „{username}“ bei {brand} auf einem neuen Gerät angemeldet: ' +
          '{device}, von der Adresse {ip}, am {time} UTC.',
        'Falls Sie das nicht waren, kennt jemand Ihr Passwort. Wählen Sie jetzt ein neues Passwort. ' +
          'Damit wird auch das neue Gerät abgemeldet.',
      ],
      button: 'Neues Passwort wählen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'new-sign-in-without-password': {
      subject: 'Neue Anmeldung mit Ihrem Konto bei {brand}',
      paragraphs: [
        'Jemand hat sich bei Ihrem Konto „{username}“ bei {brand} auf einem neuen Gerät angemeldet: ' +
          '{device}, von der Adresse {ip}, am {time} UTC.',
        'Falls Sie das nicht waren, hat jemand Zugriff auf den Dienst, über den Sie sich anmelden. ' +
          'Ändern Sie dort Ihr Passwort, und melden Sie hier das neue Gerät ab.',
      ],
      button: 'Geräte ansehen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
    'session-theft': {
      subject: 'Kopierte Anmeldung für Ihr Konto bei {brand} abgelehnt',
      paragraphs: [
        'Jemand hat versucht, eine Kopie Ihrer Anmeldung bei {brand}, Konto „{username}“, auf einem anderen ' +
          'Gerät zu verwenden: {device}, von der Adresse {ip}, am {time} UTC.',
        'Die Kopie wurde abgelehnt, und Sie bleiben angemeldet. Möglicherweise hat ein Programm auf Ihrem ' +
          'eigenen Gerät die Anmeldung kopiert: Prüfen Sie das Gerät auf Schadsoftware. Melden Sie es danach in ' +
          'Ihrem Konto ab, damit die Kopie völlig wertlos ist, und melden Sie sich neu an.',
      ],
      button: 'Geräte ansehen',
      advice: 'Falls Sie Ihren Browser selbst auf einen neuen Computer übertragen haben, melden Sie sich dort ' +
        'neu an. Sie können diese E-Mail dann ignorieren.',
    },
    'more-alerts': {
      subject: 'Weitere Warnungen zu Ihrem Konto bei {brand}: {count}',
      paragraphs: [
        'Wir haben Ihnen zu Ihrem Konto „{username}“ bei {brand} mehrere E-Mails mit dieser Meldung ' +
          'geschickt: {alert}',
        'Es ist noch öfter geschehen, und diese E-Mail ersetzt je eine für jedes Mal. Anzahl der weiteren ' +
          'Male: {count}. Das erste war am {from} UTC, das letzte am {until} UTC.',
        'Falls Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto. ' +
          'Prüfen Sie jetzt die Anmeldearten und die Geräte Ihres Kontos.',
      ],
      button: 'Konto ansehen',
      advice: 'Falls Sie das waren, können Sie diese E-Mail ignorieren.',
    },
  },
  changes: {
    totp_added: 'Zu Ihrem Konto „{username}“ bei {brand} wurde eine Authenticator-App hinzugefügt.',
    totp_removed: 'Von Ihrem Konto „{username}“ bei {brand} wurde die Authenticator-App entfernt.',
    recovery_codes_created: 'Für Ihr Konto „{username}“ bei {brand} wurden neue Wiederherstellungscodes erstellt. ' +
      'Die bisherigen gelten nicht mehr.',
    recovery_code_used: 'Bei Ihrem Konto „{username}“ bei {brand} wurde ein Wiederherstellungscode ' +
      'zum Anmelden benutzt.',
    passkey_added: 'Zu Ihrem Konto „{username}“ bei {brand} wurde ein Passkey hinzugefügt.',
    passkey_removed: 'Von Ihrem Konto „{username}“ bei {brand} wurde ein Passkey entfernt.',
    password_added: 'Zu Ihrem Konto „{username}“ bei {brand} wurde ein Passwort hinzugefügt.',
    provider_linked: 'Mit Ihrem Konto „{username}“ bei {brand} wurde die Anmeldung über einen ' +
      'externen Anbieter verbunden.',
    provider_removed: 'Von Ihrem Konto „{username}“ bei {brand} wurde die Anmeldung über einen ' +
      'externen Anbieter getrennt.',
    factors_reset: 'Ein Betreiber hat alle zweiten Faktoren und Passkeys von Ihrem Konto „{username}“ ' +
      'bei {brand} entfernt.',
    operator_factors_reset: 'Alle zweiten Faktoren und Passkeys wurden von Ihrem Konto „{username}“ bei {brand} ' +
      'entfernt. Das Konto ist kein Betreiberkonto mehr, bis ein Administrator es wieder dazu macht.',
  },
}
