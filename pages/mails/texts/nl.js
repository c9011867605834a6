// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Hallo,',
  address: 'Werkt de knop niet? Open dan dit adres:',
  code: 'Typ deze code in de browser waarin je hem hebt aangevraagd:',
  signature: '{brand} heeft deze e-mail gestuurd omdat je adres is opgegeven op {url}. Antwoorden worden niet gelezen.',
  device: '{browser} op {system}',
  unknownDevice: 'Onbekend apparaat',
  mails: {
    verify: {
      subject: 'Bevestig je e-mailadres voor {brand}',
      paragraphs: [
        'Bij {brand} is met dit e-mailadres een account met de gebruikersnaam “{username}” gemaakt. ' +
          'Bevestig dat het adres van jou is. Daarna kun je inloggen.',
        'De link werkt één keer en verloopt na 24 uur.',
      ],
      button: 'E-mailadres bevestigen',
      advice: 'Was jij dit niet, negeer deze e-mail dan. Zonder de link is het account niet te gebruiken, en na een ' +
        'week verwijderen we het.',
    },
    reset: {
      subject: 'Kies een nieuw wachtwoord voor {brand}',
      paragraphs: [
        'Er is gevraagd om een nieuw wachtwoord voor je account “{username}” bij {brand}.',
        'De link werkt één keer en verloopt na een uur.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Was jij dit niet, negeer deze e-mail dan. Je wachtwoord blijft hetzelfde, en de link is alleen naar ' +
        'dit adres gestuurd.',
    },
    invite: {
      subject: 'Je uitnodiging voor {brand}',
      paragraphs: [
        'Bij {brand} is voor jou een account met de gebruikersnaam “{username}” gemaakt.',
        'Kies een wachtwoord om het te gebruiken. De link werkt één keer en verloopt na zeven dagen.',
      ],
      button: 'Wachtwoord kiezen',
      advice: 'Weet je niet waar dit over gaat, negeer deze e-mail dan. ' +
        'Zonder de link is het account niet te gebruiken.',
    },
    'no-password': {
      subject: 'Je {brand}-account heeft geen wachtwoord',
      paragraphs: [
        'Er is gevraagd om een nieuw wachtwoord voor je account “{username}” bij {brand}. ' +
          'Dit account heeft geen wachtwoord, omdat je via een andere dienst inlogt.',
        'Gebruik om in te loggen de knop van die dienst op de inlogpagina.',
      ],
      button: 'Inloggen',
      advice: 'Was jij dit niet, negeer deze e-mail dan. Je account is niet gewijzigd.',
    },
    'sign-in': {
      subject: 'Inloggen bij {brand}',
      paragraphs: [
        'Er is gevraagd om in te loggen op je account “{username}” bij {brand}.',
        'Met de knop log je in op het apparaat waarop je hem opent. Deze e-mail werkt één keer, tien minuten ' +
          'lang. Stuur hem niet door.',
      ],
      button: 'Inloggen op dit apparaat',
      advice: 'Was jij dit niet, negeer deze e-mail dan: zonder deze e-mail kan niemand inloggen. Vertel de code ' +
        'aan niemand.',
    },
    'sign-up': {
      subject: 'Maak je account bij {brand}',
      paragraphs: [
        'Iemand wilde bij {brand} inloggen met dit e-mailadres, waarbij nog geen account hoort.',
        'Je kunt er nu een maken, zonder wachtwoord. Deze e-mail werkt één keer, tien minuten lang. Stuur hem ' +
          'niet door.',
      ],
      button: 'Account maken',
      advice: 'Was jij dit niet, negeer deze e-mail dan: zonder deze e-mail wordt er geen account gemaakt.',
    },
    'confirm-identity': {
      subject: 'Je code voor {brand}',
      paragraphs: [
        'Bevestig dat jij het bent die je account “{username}” bij {brand} wil wijzigen.',
        'De code werkt één keer, tien minuten lang. Vertel hem aan niemand.',
      ],
      button: 'Naar je account',
      advice: 'Was jij dit niet, dan gebruikt iemand een apparaat waarop je bent ingelogd. Bekijk nu de ' +
        'apparaten in je account.',
    },
    'password-changed': {
      subject: 'Je wachtwoord voor {brand} is gewijzigd',
      paragraphs: [
        'Het wachtwoord van je account “{username}” bij {brand} is gewijzigd. Je andere apparaten zijn uitgelogd.',
        'Was jij dit niet, dan heeft iemand anders toegang tot je account. Kies nu een nieuw wachtwoord.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'breached-password': {
      subject: 'Je wachtwoord voor {brand} is niet veilig',
      paragraphs: [
        'Iemand heeft met het juiste wachtwoord ingelogd op je account “{username}” bij {brand}. ' +
          'Dit wachtwoord staat op een openbare lijst van wachtwoorden die bij datalekken zijn uitgelekt, ' +
          'misschien bij een andere dienst.',
        'Aanvallers proberen zulke wachtwoorden het eerst. ' +
          'Kies nu een nieuw wachtwoord, hier en overal waar je het huidige gebruikt.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Was jij dit niet, dan kent iemand anders je wachtwoord al. ' +
        'Met een nieuw wachtwoord worden ook diens apparaten uitgelogd.',
    },
    'password-expired': {
      subject: 'Kies een nieuw wachtwoord voor {brand}',
      paragraphs: [
        'Een beheerder van {brand} heeft het wachtwoord van je account “{username}” laten verlopen, omdat anderen ' +
          'het misschien kennen. Je bent op al je apparaten uitgelogd.',
        'Het oude wachtwoord werkt niet meer. Kies een nieuw wachtwoord, hier en overal waar je het oude nog gebruikt.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Vul op de pagina die opent je e-mailadres in: je krijgt dan een link om een nieuw wachtwoord te ' +
        'kiezen.',
    },
    'already-registered': {
      subject: 'Je hebt al een {brand}-account',
      paragraphs: [
        'Iemand heeft geprobeerd zich bij {brand} te registreren met dit e-mailadres. ' +
          'Het hoort al bij een account met de gebruikersnaam “{username}”.',
        'Was jij dit, log dan in op dat account. Ben je het wachtwoord vergeten of heb je dit adres nooit ' +
          'bevestigd, kies dan een nieuw wachtwoord: {url}/reset-password',
      ],
      button: 'Inloggen',
      advice: 'Was jij dit niet, negeer deze e-mail dan. Er is geen tweede account gemaakt, en de persoon heeft ' +
        'niets over je account gehoord.',
    },
    'change-email': {
      subject: 'Bevestig je nieuwe e-mailadres voor {brand}',
      paragraphs: [
        'Dit adres is opgegeven als het nieuwe e-mailadres van het account “{username}” bij {brand}. ' +
          'Bevestig dat het adres van jou is. Tot die tijd houdt het account zijn huidige adres.',
        'De link werkt één keer en verloopt na een uur.',
      ],
      button: 'Dit adres gebruiken',
      advice: 'Was jij dit niet, negeer deze e-mail dan. Dan verandert er niets.',
    },
    'address-taken': {
      subject: 'Je e-mailadres bij {brand}',
      paragraphs: [
        'Iemand heeft je adres opgegeven als het nieuwe e-mailadres van een ander account bij {brand}. ' +
          'Het hoort bij je account “{username}” en blijft daar. Er is niets gewijzigd.',
        'Wil je het voor het andere account gebruiken, verwijder dan eerst dit account of geef het een ander adres.',
      ],
      button: 'Naar je account',
      advice: 'Was jij dit niet, dan kun je deze e-mail negeren.',
    },
    'email-changed': {
      subject: 'Je e-mailadres bij {brand} is gewijzigd',
      paragraphs: [
        'Het e-mailadres van je account “{username}” bij {brand} is gewijzigd in {email}. ' +
          'Vanaf nu sturen we e-mails over het account daarheen.',
        'Was jij dit niet, dan heeft iemand anders toegang tot je account. ' +
          'Herstel nu dit adres: daarmee worden ook alle apparaten uitgelogd. ' +
          'De link werkt één keer en verloopt na 72 uur.',
      ],
      button: 'Dit adres herstellen',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'email-displaced': {
      subject: 'Een ander adres voor je account bij {brand}',
      paragraphs: [
        'Dit is niet meer het e-mailadres van het account “{username}” bij {brand}. ' +
          'Vanaf nu sturen we e-mails over het account naar een ander adres.',
        'Was jij dit niet, dan heeft iemand anders toegang tot je account. Log nu in met je gebruikersnaam, ' +
          'kies een nieuw wachtwoord en vul je adres opnieuw in.',
      ],
      button: 'Inloggen',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'email-restored': {
      subject: 'Je e-mailadres bij {brand} is hersteld',
      paragraphs: [
        'Dit is weer het e-mailadres van je account “{username}” bij {brand}. Alle apparaten zijn uitgelogd.',
        'Was jij dit niet, of had je het adres niet zelf gewijzigd, dan heeft iemand anders toegang tot je ' +
          'account. Kies nu een nieuw wachtwoord en controleer je inlogmethoden.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Had je het adres zelf per ongeluk gewijzigd, dan kun je deze e-mail negeren.',
    },
    'factors-changed': {
      subject: 'Een inlogmethode van je {brand}-account is gewijzigd',
      paragraphs: [
        '{change}',
        'Was jij dit niet, dan heeft iemand anders toegang tot je account. ' +
          'Controleer nu de inlogmethoden en de apparaten.',
      ],
      button: 'Je account bekijken',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'new-sign-in': {
      subject: 'Nieuwe inlog op je {brand}-account',
      paragraphs: [
        'Iemand heeft met een nieuw apparaat ingelogd op je account “{username}” bij {brand}: {device}, vanaf het ' +
          'adres {ip}, op {time} UTC.',
        'Was jij dit niet, dan kent iemand je wachtwoord. Kies nu een nieuw wachtwoord. ' +
          'Daarmee wordt dat apparaat ook uitgelogd.',
      ],
      button: 'Nieuw wachtwoord kiezen',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'new-sign-in-without-password': {
      subject: 'Nieuwe inlog op je {brand}-account',
      paragraphs: [
        'Iemand heeft met een nieuw apparaat ingelogd op je account “{username}” bij {brand}: {device}, vanaf het ' +
          'adres {ip}, op {time} UTC.',
        'Was jij dit niet, dan heeft iemand toegang tot de dienst waarmee je inlogt. ' +
          'Wijzig daar je wachtwoord en log dat apparaat hier uit.',
      ],
      button: 'Je apparaten bekijken',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
    'session-theft': {
      subject: 'Gekopieerde inlog geweigerd voor je {brand}-account',
      paragraphs: [
        'Iemand heeft geprobeerd een kopie van je inlog bij {brand}, account “{username}”, op een ander apparaat ' +
          'te gebruiken: {device}, vanaf het adres {ip}, op {time} UTC.',
        'De kopie is geweigerd en je blijft ingelogd. Misschien heeft een programma op je eigen apparaat de ' +
          'inlog gekopieerd: controleer het apparaat op malware. Log het daarna in je account uit, zodat de kopie ' +
          'niets meer waard is, en log opnieuw in.',
      ],
      button: 'Je apparaten bekijken',
      advice: 'Heb je je browser zelf naar een nieuwe computer overgezet, log daar dan opnieuw in. Je kunt deze ' +
        'e-mail dan negeren.',
    },
    'more-alerts': {
      subject: 'Meer meldingen over je {brand}-account: {count}',
      paragraphs: [
        'We hebben je over je account “{username}” bij {brand} meerdere e-mails gestuurd met deze melding: ' +
          '{alert}',
        'Het is nog vaker gebeurd, en deze e-mail vervangt een e-mail voor elke keer. Aantal keren meer: ' +
          '{count}. De eerste was op {from} UTC, de laatste op {until} UTC.',
        'Was jij dit niet, dan heeft iemand anders toegang tot je account. ' +
          'Controleer nu de inlogmethoden en de apparaten.',
      ],
      button: 'Je account bekijken',
      advice: 'Was jij dit wel, dan kun je deze e-mail negeren.',
    },
  },
  changes: {
    totp_added: 'Er is een authenticator-app toegevoegd aan je account “{username}” bij {brand}.',
    totp_removed: 'De authenticator-app is verwijderd uit je account “{username}” bij {brand}.',
    recovery_codes_created: 'Er zijn nieuwe herstelcodes gemaakt voor je account “{username}” bij {brand}. ' +
      'De vorige zijn niet meer geldig.',
    recovery_code_used: 'Er is een herstelcode gebruikt om in te loggen op je account “{username}” bij {brand}.',
    passkey_added: 'Er is een passkey toegevoegd aan je account “{username}” bij {brand}.',
    passkey_removed: 'Er is een passkey verwijderd uit je account “{username}” bij {brand}.',
    password_added: 'Er is een wachtwoord toegevoegd aan je account “{username}” bij {brand}.',
    provider_linked: 'Inloggen via een externe dienst is gekoppeld aan je account “{username}” bij {brand}.',
    provider_removed: 'Inloggen via een externe dienst is ontkoppeld van je account “{username}” bij {brand}.',
    factors_reset: 'Een beheerder heeft alle tweede factoren en passkeys verwijderd uit je account “{username}” ' +
      'bij {brand}.',
    operator_factors_reset: 'Alle tweede factoren en passkeys zijn verwijderd uit je account “{username}” bij ' +
      '{brand}. Het account is geen beheerder meer, totdat een systeembeheerder het opnieuw aanwijst.',
  },
}
