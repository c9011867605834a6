// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Ciao,',
  address: 'Se il pulsante non funziona, apri questo indirizzo:',
  code: 'Inserisci questo codice nel browser in cui l’hai richiesto:',
  signature: '{brand} ha inviato questa email perché il tuo indirizzo è stato indicato su {url}. ' +
    'Le risposte non vengono lette.',
  device: '{browser} su {system}',
  unknownDevice: 'Dispositivo sconosciuto',
  mails: {
    verify: {
      subject: 'Conferma il tuo indirizzo email per {brand}',
      paragraphs: [
        'Con questo indirizzo email è stato creato su {brand} un account con il nome utente «{username}». ' +
          'Conferma che l’indirizzo è tuo. Poi potrai accedere.',
        'Il link vale una sola volta e scade dopo 24 ore.',
      ],
      button: 'Conferma l’indirizzo email',
      advice: 'Se non eri tu, ignora questa email. L’account non si può usare senza il link e lo eliminiamo dopo ' +
        'una settimana.',
    },
    reset: {
      subject: 'Scegli una nuova password per {brand}',
      paragraphs: [
        'È stata richiesta la reimpostazione della password per il tuo account «{username}» su {brand}.',
        'Il link vale una sola volta e scade dopo un’ora.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Se non eri tu, ignora questa email. La tua password resta la stessa e il link è stato inviato solo a ' +
        'questa casella.',
    },
    invite: {
      subject: 'Il tuo invito a {brand}',
      paragraphs: [
        'Per te è stato creato un account con il nome utente «{username}» su {brand}.',
        'Scegli una password per usarlo. Il link vale una sola volta e scade dopo sette giorni.',
      ],
      button: 'Scegli una password',
      advice: 'Se non sai di cosa si tratta, ignora questa email. Senza il link l’account non può essere usato.',
    },
    'no-password': {
      subject: 'Il tuo account {brand} non ha una password',
      paragraphs: [
        'È stata richiesta la reimpostazione della password per il tuo account «{username}» su {brand}. ' +
          'Questo account non ha una password, perché vi accedi tramite un altro servizio.',
        'Per accedere, usa il pulsante di quel servizio nella pagina di accesso.',
      ],
      button: 'Accedi',
      advice: 'Se non eri tu, ignora questa email. Il tuo account non è cambiato.',
    },
    'sign-in': {
      subject: 'Accedi a {brand}',
      paragraphs: [
        'È stato richiesto un accesso al tuo account «{username}» su {brand}.',
        'Il pulsante ti fa accedere sul dispositivo in cui lo apri. Questa email vale una sola volta, per dieci ' +
          'minuti. Non inoltrarla.',
      ],
      button: 'Accedi su questo dispositivo',
      advice: 'Se non eri tu, ignora questa email: senza di essa nessuno può accedere. Non dire il codice a nessuno.',
    },
    'sign-up': {
      subject: 'Crea il tuo account {brand}',
      paragraphs: [
        'Qualcuno voleva accedere a {brand} con questo indirizzo email, che non ha ancora un account.',
        'Puoi crearne uno adesso, senza password. Questa email vale una sola volta, per dieci minuti. Non inoltrarla.',
      ],
      button: 'Crea un account',
      advice: 'Se non eri tu, ignora questa email: senza di essa non viene creato alcun account.',
    },
    'confirm-identity': {
      subject: 'Il tuo codice per {brand}',
      paragraphs: [
        'Conferma che sei tu a voler modificare il tuo account «{username}» su {brand}.',
        'Il codice vale una sola volta, per dieci minuti. Non dirlo a nessuno.',
      ],
      button: 'Vai al tuo account',
      advice: 'Se non eri tu, qualcuno sta usando un dispositivo su cui hai effettuato l’accesso. Controlla subito i ' +
        'dispositivi nel tuo account.',
    },
    'password-changed': {
      subject: 'La tua password di {brand} è stata cambiata',
      paragraphs: [
        'La password del tuo account «{username}» su {brand} è stata cambiata. ' +
          'Gli altri tuoi dispositivi sono stati disconnessi.',
        'Se non eri tu, un’altra persona ha accesso al tuo account. Scegli subito una nuova password.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'breached-password': {
      subject: 'La tua password di {brand} non è sicura',
      paragraphs: [
        'Qualcuno ha effettuato l’accesso al tuo account «{username}» su {brand} con la password corretta. ' +
          'Questa password è in un elenco pubblico di password esposte in violazioni di dati, forse di un altro ' +
          'servizio.',
        'Gli aggressori provano per prime queste password. Scegli subito una nuova password, qui e ovunque tu usi ' +
          'quella attuale.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Se non eri tu, un’altra persona conosce già la tua password. ' +
        'Cambiandola, disconnetti anche i suoi dispositivi.',
    },
    'password-expired': {
      subject: 'Scegli una nuova password di {brand}',
      paragraphs: [
        'Un gestore di {brand} ha fatto scadere la password del tuo account «{username}», perché altre persone ' +
          'potrebbero conoscerla. La sessione è terminata su tutti i tuoi dispositivi.',
        'La vecchia password non funziona più. Scegline una nuova, qui e ovunque tu usi quella vecchia.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Nella pagina che si apre, inserisci il tuo indirizzo email: riceverai un link per scegliere una ' +
        'nuova password.',
    },
    'already-registered': {
      subject: 'Hai già un account {brand}',
      paragraphs: [
        'Qualcuno ha provato a registrarsi su {brand} con questo indirizzo email. ' +
          'Appartiene già a un account con il nome utente «{username}».',
        'Se eri tu, accedi a quell’account. Se hai dimenticato la password o non hai mai confermato questo ' +
          'indirizzo, scegli una nuova password: {url}/reset-password',
      ],
      button: 'Accedi',
      advice: 'Se non eri tu, ignora questa email. Non è stato creato un secondo account e la persona non ha saputo ' +
        'nulla del tuo account.',
    },
    'change-email': {
      subject: 'Conferma il tuo nuovo indirizzo email per {brand}',
      paragraphs: [
        'Questo indirizzo è stato indicato come nuovo indirizzo email dell’account «{username}» su {brand}. ' +
          'Conferma che l’indirizzo è tuo. Fino ad allora l’account mantiene l’indirizzo attuale.',
        'Il link vale una sola volta e scade dopo un’ora.',
      ],
      button: 'Usa questo indirizzo',
      advice: 'Se non eri tu, ignora questa email. Non cambierà nulla.',
    },
    'address-taken': {
      subject: 'Il tuo indirizzo email su {brand}',
      paragraphs: [
        'Qualcuno ha indicato il tuo indirizzo come nuovo indirizzo email di un altro account su {brand}. ' +
          'Appartiene al tuo account «{username}» e lì rimane. Non è cambiato nulla.',
        'Per usarlo con l’altro account, elimina prima questo o assegnagli un altro indirizzo.',
      ],
      button: 'Vai al tuo account',
      advice: 'Se non eri tu, puoi ignorare questa email.',
    },
    'email-changed': {
      subject: 'Il tuo indirizzo email di {brand} è stato cambiato',
      paragraphs: [
        'L’indirizzo email del tuo account «{username}» su {brand} è stato cambiato in {email}. ' +
          'D’ora in poi inviamo lì le email che riguardano l’account.',
        'Se non eri tu, un’altra persona ha accesso al tuo account. ' +
          'Ripristina subito questo indirizzo: saranno disconnessi anche tutti i dispositivi. ' +
          'Il link vale una sola volta e scade dopo 72 ore.',
      ],
      button: 'Ripristina questo indirizzo',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'email-displaced': {
      subject: 'Un altro indirizzo per il tuo account {brand}',
      paragraphs: [
        'Questo non è più l’indirizzo email dell’account «{username}» su {brand}. ' +
          'D’ora in poi inviamo le email che riguardano l’account a un altro indirizzo.',
        'Se non eri tu, un’altra persona ha accesso al tuo account. Accedi subito con il tuo nome utente, ' +
          'scegli una nuova password e inserisci di nuovo il tuo indirizzo.',
      ],
      button: 'Accedi',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'email-restored': {
      subject: 'Il tuo indirizzo email di {brand} è stato ripristinato',
      paragraphs: [
        'Questo è di nuovo l’indirizzo email del tuo account «{username}» su {brand}. ' +
          'Tutti i dispositivi sono stati disconnessi.',
        'Se non eri tu, o se prima non avevi cambiato l’indirizzo, un’altra persona ha accesso al tuo account. ' +
          'Scegli subito una nuova password e controlla i tuoi metodi di accesso.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Se hai cambiato tu l’indirizzo per errore, puoi ignorare questa email.',
    },
    'factors-changed': {
      subject: 'Un metodo di accesso al tuo account {brand} è stato modificato',
      paragraphs: [
        '{change}',
        'Se non eri tu, un’altra persona ha accesso al tuo account. ' +
          'Controlla subito i metodi di accesso e i dispositivi.',
      ],
      button: 'Vedi il tuo account',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'new-sign-in': {
      subject: 'Nuovo accesso al tuo account {brand}',
      paragraphs: [
        'Qualcuno ha effettuato l’accesso al tuo account «{username}» su {brand} con un nuovo dispositivo: ' +
          '{device}, dall’indirizzo {ip}, in data {time} UTC.',
        'Se non eri tu, qualcuno conosce la tua password. Scegli subito una nuova password. ' +
          'Così disconnetti anche quel dispositivo.',
      ],
      button: 'Scegli una nuova password',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'new-sign-in-without-password': {
      subject: 'Nuovo accesso al tuo account {brand}',
      paragraphs: [
        'Qualcuno ha effettuato l’accesso al tuo account «{username}» su {brand} con un nuovo dispositivo: ' +
          '{device}, dall’indirizzo {ip}, in data {time} UTC.',
        'Se non eri tu, qualcuno ha accesso al servizio con cui accedi. ' +
          'Cambia la password lì e disconnetti qui quel dispositivo.',
      ],
      button: 'Vedi i tuoi dispositivi',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
    'session-theft': {
      subject: 'Copia dell’accesso rifiutata per il tuo account {brand}',
      paragraphs: [
        'Qualcuno ha provato a usare una copia del tuo accesso a {brand}, account «{username}», su un altro ' +
          'dispositivo: {device}, dall’indirizzo {ip}, in data {time} UTC.',
        'La copia è stata rifiutata e il tuo accesso resta attivo. Un programma sul tuo dispositivo potrebbe ' +
          'aver copiato l’accesso: verifica che il dispositivo non contenga malware. Poi disconnettilo nel tuo ' +
          'account, così la copia non vale più nulla, e accedi di nuovo.',
      ],
      button: 'Vedi i tuoi dispositivi',
      advice: 'Se hai trasferito tu il browser su un nuovo computer, accedi di nuovo da lì. In tal caso puoi ' +
        'ignorare questa email.',
    },
    'more-alerts': {
      subject: 'Altri avvisi sul tuo account {brand}: {count}',
      paragraphs: [
        'Ti abbiamo inviato diverse email sul tuo account «{username}» su {brand} con questo messaggio: ' +
          '{alert}',
        'È successo altre volte, e questa email sostituisce quelle che avremmo inviato per ciascuna. Numero ' +
          'di altre volte: {count}. La prima: {from} UTC; l’ultima: {until} UTC.',
        'Se non eri tu, un’altra persona ha accesso al tuo account. ' +
          'Controlla subito i metodi di accesso e i dispositivi.',
      ],
      button: 'Vedi il tuo account',
      advice: 'Se eri tu, puoi ignorare questa email.',
    },
  },
  changes: {
    totp_added: 'Un’app di autenticazione è stata aggiunta al tuo account «{username}» su {brand}.',
    totp_removed: 'L’app di autenticazione è stata rimossa dal tuo account «{username}» su {brand}.',
    recovery_codes_created: 'Sono stati creati nuovi codici di recupero per il tuo account «{username}» su ' +
      '{brand}. I precedenti non sono più validi.',
    recovery_code_used: 'Un codice di recupero è stato usato per accedere al tuo account «{username}» su {brand}.',
    passkey_added: 'Una passkey è stata aggiunta al tuo account «{username}» su {brand}.',
    passkey_removed: 'Una passkey è stata rimossa dal tuo account «{username}» su {brand}.',
    password_added: 'Una password è stata aggiunta al tuo account «{username}» su {brand}.',
    provider_linked: 'Un accesso tramite un servizio esterno è stato collegato al tuo account «{username}» su {brand}.',
    provider_removed: 'Un accesso tramite un servizio esterno è stato scollegato dal tuo account ' +
      '«{username}» su {brand}.',
    factors_reset: 'Un gestore ha rimosso tutti i secondi fattori e le passkey dal tuo account «{username}» su ' +
      '{brand}.',
    operator_factors_reset: 'Tutti i secondi fattori e le passkey sono stati rimossi dal tuo account «{username}» su ' +
      '{brand}. L’account non è più un gestore, finché un amministratore non lo nomina di nuovo.',
  },
}
