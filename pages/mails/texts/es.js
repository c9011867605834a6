// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Hola:',
  address: 'Si el botón no funciona, abre esta dirección:',
  code: 'Escribe este código en el navegador en el que lo pediste:',
  signature: '{brand} envió este correo porque se indicó tu dirección en {url}. Las respuestas no se leen.',
  device: '{browser} en {system}',
  unknownDevice: 'Dispositivo desconocido',
  mails: {
    verify: {
      subject: 'Confirma tu dirección de correo para {brand}',
      paragraphs: [
        'Se creó una cuenta con el nombre de usuario «{username}» en {brand} con esta dirección de correo. ' +
          'Confirma que la dirección es tuya. Después podrás iniciar sesión.',
        'El enlace sirve una sola vez y caduca al cabo de 24 horas.',
      ],
      button: 'Confirmar la dirección',
      advice: 'Si no fuiste tú, ignora este correo. La cuenta no se puede usar sin el enlace, y la eliminaremos al ' +
        'cabo de una semana.',
    },
    reset: {
      subject: 'Elige una nueva contraseña para {brand}',
      paragraphs: [
        'Se solicitó restablecer la contraseña de tu cuenta «{username}» en {brand}.',
        'El enlace sirve una sola vez y caduca al cabo de una hora.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'Si no fuiste tú, ignora este correo. Tu contraseña sigue siendo la misma, y el enlace se envió solo ' +
        'a este buzón.',
    },
    invite: {
      subject: 'Tu invitación a {brand}',
      paragraphs: [
        'Se creó para ti una cuenta con el nombre de usuario «{username}» en {brand}.',
        'Elige una contraseña para usarla. El enlace sirve una sola vez y caduca al cabo de siete días.',
      ],
      button: 'Elegir una contraseña',
      advice: 'Si no sabes de qué se trata, ignora este correo. La cuenta no se puede usar sin el enlace.',
    },
    'no-password': {
      subject: 'Tu cuenta de {brand} no tiene contraseña',
      paragraphs: [
        'Se solicitó restablecer la contraseña de tu cuenta «{username}» en {brand}. ' +
          'Esta cuenta no tiene contraseña, porque inicias sesión mediante otro servicio.',
        'Para iniciar sesión, usa el botón de ese servicio en la página de inicio de sesión.',
      ],
      button: 'Iniciar sesión',
      advice: 'Si no fuiste tú, ignora este correo. Tu cuenta no ha cambiado.',
    },
    'sign-in': {
      subject: 'Inicia sesión en {brand}',
      paragraphs: [
        'Se solicitó iniciar sesión en tu cuenta «{username}» de {brand}.',
        'El botón inicia sesión en el dispositivo en el que lo abras. Este correo sirve una sola vez, durante ' +
          'diez minutos. No lo reenvíes.',
      ],
      button: 'Iniciar sesión en este dispositivo',
      advice: 'Si no fuiste tú, ignora este correo: nadie puede iniciar sesión sin él. No le digas el código a nadie.',
    },
    'sign-up': {
      subject: 'Crea tu cuenta de {brand}',
      paragraphs: [
        'Alguien quiso iniciar sesión en {brand} con esta dirección de correo, que todavía no tiene cuenta.',
        'Puedes crear una ahora, sin contraseña. Este correo sirve una sola vez, durante diez minutos. No lo ' +
          'reenvíes.',
      ],
      button: 'Crear una cuenta',
      advice: 'Si no fuiste tú, ignora este correo: sin él no se crea ninguna cuenta.',
    },
    'confirm-identity': {
      subject: 'Tu código para {brand}',
      paragraphs: [
        'Confirma que eres tú quien quiere cambiar tu cuenta «{username}» de {brand}.',
        'El código sirve una sola vez, durante diez minutos. No se lo digas a nadie.',
      ],
      button: 'Ir a tu cuenta',
      advice: 'Si no fuiste tú, alguien está usando un dispositivo en el que tienes la sesión iniciada. Revisa ' +
        'ahora los dispositivos en tu cuenta.',
    },
    'password-changed': {
      subject: 'Se cambió tu contraseña de {brand}',
      paragraphs: [
        'Se cambió la contraseña de tu cuenta «{username}» en {brand}. Se cerró la sesión en tus otros dispositivos.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Elige ahora una nueva contraseña.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'breached-password': {
      subject: 'Tu contraseña de {brand} no es segura',
      paragraphs: [
        'Alguien inició sesión en tu cuenta «{username}» en {brand} con la contraseña correcta. ' +
          'Esta contraseña está en una lista pública de contraseñas expuestas en filtraciones de datos, quizá de ' +
          'otro servicio.',
        'Los atacantes prueban primero estas contraseñas. ' +
          'Elige ahora una nueva, aquí y en cualquier otro sitio donde uses la actual.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'Si no fuiste tú, otra persona ya conoce tu contraseña. ' +
        'Al cambiarla, también se cierra la sesión en sus dispositivos.',
    },
    'password-expired': {
      subject: 'Elige una nueva contraseña de {brand}',
      paragraphs: [
        'Un operador de {brand} ha hecho caducar la contraseña de tu cuenta «{username}», porque es posible que ' +
          'otras personas la conozcan. Se ha cerrado la sesión en todos tus dispositivos.',
        'La contraseña anterior ya no funciona. Elige una nueva, aquí y en cualquier otro sitio donde uses la ' +
          'anterior.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'En la página que se abre, introduce tu dirección de correo: recibirás un enlace para elegir una ' +
        'nueva contraseña.',
    },
    'already-registered': {
      subject: 'Ya tienes una cuenta de {brand}',
      paragraphs: [
        'Alguien intentó registrarse en {brand} con esta dirección de correo. ' +
          'Ya pertenece a una cuenta con el nombre de usuario «{username}».',
        'Si fuiste tú, inicia sesión en esa cuenta. Si olvidaste su contraseña o nunca confirmaste esta dirección, ' +
          'elige una nueva contraseña: {url}/reset-password',
      ],
      button: 'Iniciar sesión',
      advice: 'Si no fuiste tú, ignora este correo. No se creó una segunda cuenta, y a la persona no se le dijo ' +
        'nada de tu cuenta.',
    },
    'change-email': {
      subject: 'Confirma tu nueva dirección de correo para {brand}',
      paragraphs: [
        'Se indicó esta dirección como nueva dirección de correo de la cuenta «{username}» en {brand}. ' +
          'Confirma que la dirección es tuya. Hasta entonces, la cuenta conserva su dirección actual.',
        'El enlace sirve una sola vez y caduca al cabo de una hora.',
      ],
      button: 'Usar esta dirección',
      advice: 'Si no fuiste tú, ignora este correo. Así no cambia nada.',
    },
    'address-taken': {
      subject: 'Tu dirección de correo en {brand}',
      paragraphs: [
        'Alguien indicó tu dirección como nueva dirección de correo de otra cuenta en {brand}. ' +
          'Pertenece a tu cuenta «{username}» y seguirá siendo así. Nada ha cambiado.',
        'Para usarla en la otra cuenta, primero elimina esta o asígnale otra dirección.',
      ],
      button: 'Ir a tu cuenta',
      advice: 'Si no fuiste tú, puedes ignorar este correo.',
    },
    'email-changed': {
      subject: 'Se cambió tu dirección de correo de {brand}',
      paragraphs: [
        'La dirección de correo de tu cuenta «{username}» en {brand} se cambió a {email}. ' +
          'A partir de ahora enviamos allí los correos sobre la cuenta.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. ' +
          'Restaura ahora esta dirección: también se cerrará la sesión en todos los dispositivos. ' +
          'El enlace sirve una sola vez y caduca al cabo de 72 horas.',
      ],
      button: 'Restaurar esta dirección',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'email-displaced': {
      subject: 'Otra dirección para tu cuenta de {brand}',
      paragraphs: [
        'Esta ya no es la dirección de correo de la cuenta «{username}» en {brand}. ' +
          'A partir de ahora enviamos los correos sobre la cuenta a otra dirección.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Inicia sesión ahora con tu nombre de usuario, ' +
          'elige una nueva contraseña y vuelve a indicar tu dirección.',
      ],
      button: 'Iniciar sesión',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'email-restored': {
      subject: 'Se restauró tu dirección de correo de {brand}',
      paragraphs: [
        'Esta vuelve a ser la dirección de correo de tu cuenta «{username}» en {brand}. ' +
          'Se cerró la sesión en todos los dispositivos.',
        'Si no fuiste tú, o si no habías cambiado antes la dirección, otra persona tiene acceso a tu cuenta. ' +
          'Elige ahora una nueva contraseña y revisa tus formas de iniciar sesión.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'Si cambiaste tú la dirección por error, puedes ignorar este correo.',
    },
    'factors-changed': {
      subject: 'Se cambió una forma de iniciar sesión en tu cuenta de {brand}',
      paragraphs: [
        '{change}',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. ' +
          'Revisa ahora sus formas de iniciar sesión y sus dispositivos.',
      ],
      button: 'Ver tu cuenta',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'new-sign-in': {
      subject: 'Nuevo inicio de sesión en tu cuenta de {brand}',
      paragraphs: [
        'Alguien inició sesión en tu cuenta «{username}» en {brand} con un dispositivo nuevo: {device}, desde la ' +
          'dirección {ip}, el {time} UTC.',
        'Si no fuiste tú, alguien conoce tu contraseña. Elige ahora una nueva contraseña. ' +
          'Así también se cierra la sesión en ese dispositivo.',
      ],
      button: 'Elegir una nueva contraseña',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'new-sign-in-without-password': {
      subject: 'Nuevo inicio de sesión en tu cuenta de {brand}',
      paragraphs: [
        'Alguien inició sesión en tu cuenta «{username}» en {brand} con un dispositivo nuevo: {device}, desde la ' +
          'dirección {ip}, el {time} UTC.',
        'Si no fuiste tú, alguien tiene acceso al servicio con el que inicias sesión. ' +
          'Cambia tu contraseña allí y cierra aquí la sesión de ese dispositivo.',
      ],
      button: 'Ver tus dispositivos',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
    'session-theft': {
      subject: 'Copia de sesión rechazada en tu cuenta de {brand}',
      paragraphs: [
        'Alguien intentó usar una copia de tu sesión en {brand}, cuenta «{username}», en otro dispositivo: ' +
          '{device}, desde la dirección {ip}, el {time} UTC.',
        'La copia se rechazó y tu sesión sigue abierta. Es posible que un programa de tu propio dispositivo haya ' +
          'copiado la sesión: comprueba que el dispositivo no tenga software malicioso. Después cierra su sesión ' +
          'en tu cuenta, para que la copia no sirva de nada, y vuelve a iniciar sesión.',
      ],
      button: 'Ver tus dispositivos',
      advice: 'Si trasladaste tú mismo el navegador a un ordenador nuevo, vuelve a iniciar sesión en él. En ese ' +
        'caso puedes ignorar este correo.',
    },
    'more-alerts': {
      subject: 'Más avisos sobre tu cuenta de {brand}: {count}',
      paragraphs: [
        'Te enviamos varios correos sobre tu cuenta «{username}» en {brand} con este mensaje: {alert}',
        'Ocurrió más veces, y este correo sustituye a los que habríamos enviado por cada una. Veces adicionales: ' +
          '{count}. La primera: {from} UTC; la última: {until} UTC.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. ' +
          'Revisa ahora sus formas de iniciar sesión y sus dispositivos.',
      ],
      button: 'Ver tu cuenta',
      advice: 'Si fuiste tú, puedes ignorar este correo.',
    },
  },
  changes: {
    totp_added: 'Se añadió una aplicación de autenticación a tu cuenta «{username}» en {brand}.',
    totp_removed: 'Se quitó la aplicación de autenticación de tu cuenta «{username}» en {brand}.',
    recovery_codes_created: 'Se crearon nuevos códigos de recuperación para tu cuenta «{username}» en {brand}. ' +
      'Los anteriores ya no sirven.',
    recovery_code_used: 'Se usó un código de recuperación para iniciar sesión en tu cuenta «{username}» en {brand}.',
    passkey_added: 'Se añadió una llave de acceso a tu cuenta «{username}» en {brand}.',
    passkey_removed: 'Se quitó una llave de acceso de tu cuenta «{username}» en {brand}.',
    password_added: 'Se añadió una contraseña a tu cuenta «{username}» en {brand}.',
    provider_linked: 'Se conectó un inicio de sesión con un servicio externo a tu cuenta «{username}» en {brand}.',
    provider_removed: 'Se desconectó un inicio de sesión con un servicio externo de tu cuenta «{username}» en {brand}.',
    factors_reset: 'Un operador quitó todos los segundos factores y llaves de acceso de tu cuenta «{username}» en ' +
      '{brand}.',
    operator_factors_reset: 'Se quitaron todos los segundos factores y llaves de acceso de tu cuenta «{username}» ' +
      'en {brand}. La cuenta ya no es de operador, hasta que un administrador vuelva a nombrarla.',
  },
}
