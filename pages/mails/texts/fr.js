// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Bonjour,',
  address: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
  code: 'Saisissez ce code dans le navigateur où vous l’avez demandé :',
  signature: '{brand} a envoyé cet e-mail parce que votre adresse a été indiquée sur {url}. ' +
    'Les réponses ne sont pas lues.',
  device: '{browser} sur {system}',
  unknownDevice: 'Appareil inconnu',
  mails: {
    verify: {
      subject: 'Confirmez votre adresse e-mail pour {brand}',
      paragraphs: [
        'Un compte avec le nom d’utilisateur « {username} » a été créé sur {brand} avec cette adresse e-mail. ' +
          'Veuillez confirmer que cette adresse est la vôtre. Vous pourrez ensuite vous connecter.',
        'Le lien ne sert qu’une fois et expire après 24 heures.',
      ],
      button: 'Confirmer l’adresse e-mail',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail. Le compte est inutilisable sans le lien, et nous le ' +
        'supprimerons après une semaine.',
    },
    reset: {
      subject: 'Choisissez un nouveau mot de passe pour {brand}',
      paragraphs: [
        'Une réinitialisation du mot de passe a été demandée pour votre compte « {username} » sur {brand}.',
        'Le lien ne sert qu’une fois et expire après une heure.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail. Votre mot de passe reste le même, et le lien n’a été ' +
        'envoyé qu’à cette adresse.',
    },
    invite: {
      subject: 'Votre invitation à {brand}',
      paragraphs: [
        'Un compte avec le nom d’utilisateur « {username} » a été créé pour vous chez {brand}.',
        'Choisissez un mot de passe pour l’utiliser. Le lien ne sert qu’une fois et expire après sept jours.',
      ],
      button: 'Choisir un mot de passe',
      advice: 'Si vous ne savez pas de quoi il s’agit, ignorez cet e-mail. Le compte ne peut pas être ' +
        'utilisé sans le lien.',
    },
    'no-password': {
      subject: 'Votre compte {brand} n’a pas de mot de passe',
      paragraphs: [
        'Une réinitialisation du mot de passe a été demandée pour votre compte « {username} » sur {brand}. ' +
          'Ce compte n’a pas de mot de passe, car vous vous y connectez par un autre service.',
        'Pour vous connecter, utilisez le bouton de ce service sur la page de connexion.',
      ],
      button: 'Se connecter',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail. Votre compte n’a pas changé.',
    },
    'sign-in': {
      subject: 'Connexion à {brand}',
      paragraphs: [
        'Une connexion à votre compte « {username} » sur {brand} a été demandée.',
        'Le bouton vous connecte sur l’appareil où vous l’ouvrez. Cet e-mail ne sert qu’une fois, pendant dix ' +
          'minutes. Ne le transférez pas.',
      ],
      button: 'Se connecter sur cet appareil',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail : personne ne peut se connecter sans lui. Ne ' +
        'communiquez le code à personne.',
    },
    'sign-up': {
      subject: 'Créez votre compte {brand}',
      paragraphs: [
        'Quelqu’un a voulu se connecter à {brand} avec cette adresse e-mail, qui n’a pas encore de compte.',
        'Vous pouvez en créer un maintenant, sans mot de passe. Cet e-mail ne sert qu’une fois, pendant dix ' +
          'minutes. Ne le transférez pas.',
      ],
      button: 'Créer un compte',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail : aucun compte n’est créé sans lui.',
    },
    'confirm-identity': {
      subject: 'Votre code pour {brand}',
      paragraphs: [
        'Veuillez confirmer que c’est bien vous qui voulez modifier votre compte « {username} » sur {brand}.',
        'Le code ne sert qu’une fois, pendant dix minutes. Ne le communiquez à personne.',
      ],
      button: 'Aller à votre compte',
      advice: 'Si ce n’était pas vous, quelqu’un utilise un appareil où votre session est ouverte. Vérifiez ' +
        'maintenant les appareils dans votre compte.',
    },
    'password-changed': {
      subject: 'Votre mot de passe {brand} a été modifié',
      paragraphs: [
        'Le mot de passe de votre compte « {username} » sur {brand} a été modifié. ' +
          'Vos autres appareils ont été déconnectés.',
        'Si ce n’était pas vous, une autre personne a accès à votre compte. ' +
          'Choisissez maintenant un nouveau mot de passe.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'breached-password': {
      subject: 'Votre mot de passe {brand} n’est pas sûr',
      paragraphs: [
        'Quelqu’un s’est connecté à votre compte « {username} » sur {brand} avec le bon mot de passe. ' +
          'Ce mot de passe figure sur une liste publique de mots de passe exposés dans des fuites de données, ' +
          'peut-être d’un autre service.',
        'Les pirates essaient d’abord ces mots de passe. ' +
          'Choisissez maintenant un nouveau mot de passe, ici et partout où vous utilisez l’ancien.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Si ce n’était pas vous, une autre personne connaît déjà votre mot de passe. ' +
        'En le changeant, vous déconnectez aussi ses appareils.',
    },
    'password-expired': {
      subject: 'Choisissez un nouveau mot de passe {brand}',
      paragraphs: [
        'Un exploitant de {brand} a fait expirer le mot de passe de votre compte « {username} », car d’autres ' +
          'personnes le connaissent peut-être. Tous vos appareils ont été déconnectés.',
        'L’ancien mot de passe ne fonctionne plus. Choisissez-en un nouveau, ici et partout où vous utilisiez ' +
          'l’ancien.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Sur la page qui s’ouvre, saisissez votre adresse e-mail : vous recevrez un lien pour choisir un ' +
        'nouveau mot de passe.',
    },
    'already-registered': {
      subject: 'Vous avez déjà un compte {brand}',
      paragraphs: [
        'Quelqu’un a essayé de s’inscrire sur {brand} avec cette adresse e-mail. ' +
          'Elle appartient déjà à un compte dont le nom d’utilisateur est « {username} ».',
        'Si c’était vous, connectez-vous à ce compte. ' +
          'Si vous avez oublié son mot de passe ou n’avez jamais confirmé cette adresse, choisissez un nouveau mot ' +
          'de passe : {url}/reset-password',
      ],
      button: 'Se connecter',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail. Aucun second compte n’a été créé, et la personne n’a ' +
        'rien appris sur votre compte.',
    },
    'change-email': {
      subject: 'Confirmez votre nouvelle adresse e-mail pour {brand}',
      paragraphs: [
        'Cette adresse a été indiquée comme nouvelle adresse e-mail du compte « {username} » sur {brand}. ' +
          'Veuillez confirmer qu’elle est la vôtre. D’ici là, le compte garde son adresse actuelle.',
        'Le lien ne sert qu’une fois et expire après une heure.',
      ],
      button: 'Utiliser cette adresse',
      advice: 'Si ce n’était pas vous, ignorez cet e-mail. Rien ne changera.',
    },
    'address-taken': {
      subject: 'Votre adresse e-mail sur {brand}',
      paragraphs: [
        'Quelqu’un a indiqué votre adresse comme nouvelle adresse e-mail d’un autre compte sur {brand}. ' +
          'Elle appartient à votre compte « {username} » et y reste. Rien n’a changé.',
        'Pour l’utiliser avec l’autre compte, supprimez d’abord celui-ci ou donnez-lui une autre adresse.',
      ],
      button: 'Aller à votre compte',
      advice: 'Si ce n’était pas vous, vous pouvez ignorer cet e-mail.',
    },
    'email-changed': {
      subject: 'Votre adresse e-mail {brand} a été modifiée',
      paragraphs: [
        'L’adresse e-mail de votre compte « {username} » sur {brand} a été remplacée par {email}. ' +
          'Les e-mails concernant le compte y sont désormais envoyés.',
        'Si ce n’était pas vous, une autre personne a accès à votre compte. ' +
          'Rétablissez maintenant cette adresse : tous les appareils seront aussi déconnectés. ' +
          'Le lien ne sert qu’une fois et expire après 72 heures.',
      ],
      button: 'Rétablir cette adresse',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'email-displaced': {
      subject: 'Une autre adresse pour votre compte {brand}',
      paragraphs: [
        'Cette adresse n’est plus celle du compte « {username} » sur {brand}. ' +
          'Les e-mails concernant le compte sont désormais envoyés à une autre adresse.',
        'Si ce n’était pas vous, une autre personne a accès à votre compte. Connectez-vous maintenant avec votre nom ' +
          'd’utilisateur, choisissez un nouveau mot de passe et indiquez de nouveau votre adresse.',
      ],
      button: 'Se connecter',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'email-restored': {
      subject: 'Votre adresse e-mail {brand} a été rétablie',
      paragraphs: [
        'Cette adresse est de nouveau celle de votre compte « {username} » sur {brand}. ' +
          'Tous les appareils ont été déconnectés.',
        'Si ce n’était pas vous, ou si vous n’aviez pas modifié l’adresse auparavant, une autre personne a accès à ' +
          'votre compte. Choisissez maintenant un nouveau mot de passe et vérifiez vos méthodes de connexion.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Si vous aviez modifié l’adresse vous-même par erreur, vous pouvez ignorer cet e-mail.',
    },
    'factors-changed': {
      subject: 'Une méthode de connexion à votre compte {brand} a été modifiée',
      paragraphs: [
        '{change}',
        'Si ce n’était pas vous, une autre personne a accès à votre compte. ' +
          'Vérifiez maintenant ses méthodes de connexion et ses appareils.',
      ],
      button: 'Voir votre compte',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'new-sign-in': {
      subject: 'Nouvelle connexion à votre compte {brand}',
      paragraphs: [
        'Quelqu’un s’est connecté à votre compte « {username} » sur {brand} avec un nouvel appareil : {device}, ' +
          'depuis l’adresse {ip}, le {time} UTC.',
        'Si ce n’était pas vous, quelqu’un connaît votre mot de passe. ' +
          'Choisissez maintenant un nouveau mot de passe. Cet appareil sera aussi déconnecté.',
      ],
      button: 'Changer de mot de passe',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'new-sign-in-without-password': {
      subject: 'Nouvelle connexion à votre compte {brand}',
      paragraphs: [
        'Quelqu’un s’est connecté à votre compte « {username} » sur {brand} avec un nouvel appareil : {device}, ' +
          'depuis l’adresse {ip}, le {time} UTC.',
        'Si ce n’était pas vous, quelqu’un a accès au service avec lequel vous vous connectez. ' +
          'Changez-y votre mot de passe, et déconnectez cet appareil ici.',
      ],
      button: 'Voir vos appareils',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
    'session-theft': {
      subject: 'Copie de connexion refusée pour votre compte {brand}',
      paragraphs: [
        'Quelqu’un a essayé d’utiliser une copie de votre connexion à {brand}, compte « {username} », sur un ' +
          'autre appareil : {device}, depuis l’adresse {ip}, le {time} UTC.',
        'La copie a été refusée, et votre session reste ouverte. Un programme sur votre propre appareil a peut-être ' +
          'copié la connexion : vérifiez que l’appareil ne contient pas de logiciel malveillant. Déconnectez-le ' +
          'ensuite dans votre compte, afin que la copie n’ait plus aucune valeur, et reconnectez-vous.',
      ],
      button: 'Voir vos appareils',
      advice: 'Si vous avez vous-même transféré votre navigateur sur un nouvel ordinateur, reconnectez-vous sur ' +
        'celui-ci. Vous pouvez alors ignorer cet e-mail.',
    },
    'more-alerts': {
      subject: 'Autres alertes concernant votre compte {brand} : {count}',
      paragraphs: [
        'Nous vous avons envoyé plusieurs e-mails au sujet de votre compte « {username} » sur {brand} avec ' +
          'ce message : {alert}',
        'Cela s’est produit d’autres fois encore, et cet e-mail remplace ceux que nous aurions envoyés pour ' +
          'chacune. Nombre d’autres fois : {count}. La première : {from} UTC, la dernière : {until} UTC.',
        'Si ce n’était pas vous, une autre personne a accès à votre compte. ' +
          'Vérifiez maintenant ses méthodes de connexion et ses appareils.',
      ],
      button: 'Voir votre compte',
      advice: 'Si c’était vous, vous pouvez ignorer cet e-mail.',
    },
  },
  changes: {
    totp_added: 'Une application d’authentification a été ajoutée à votre compte « {username} » sur {brand}.',
    totp_removed: 'L’application d’authentification a été supprimée de votre compte « {username} » sur {brand}.',
    recovery_codes_created: 'De nouveaux codes de récupération ont été créés pour votre compte « {username} » sur ' +
      '{brand}. Les anciens ne sont plus valables.',
    recovery_code_used: 'Un code de récupération a été utilisé pour se connecter à votre compte « {username} » sur ' +
      '{brand}.',
    passkey_added: 'Une clé d’accès a été ajoutée à votre compte « {username} » sur {brand}.',
    passkey_removed: 'Une clé d’accès a été supprimée de votre compte « {username} » sur {brand}.',
    password_added: 'Un mot de passe a été ajouté à votre compte « {username} » sur {brand}.',
    provider_linked: 'Une connexion via un service externe a été associée à votre compte « {username} » sur {brand}.',
    provider_removed: 'Une connexion via un service externe a été dissociée de votre compte « ' +
      '{username} » sur {brand}.',
    factors_reset: 'Un exploitant a supprimé tous les seconds facteurs et clés d’accès de votre compte ' +
      '« {username} » sur {brand}.',
    operator_factors_reset: 'Tous les seconds facteurs et clés d’accès de votre compte « {username} » sur {brand} ' +
      'ont été supprimés. Le compte n’est plus celui d’un exploitant, jusqu’à ce qu’un administrateur lui rende ' +
      'ce droit.',
  },
}
