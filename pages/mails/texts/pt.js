// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: 'Olá,',
  address: 'Se o botão não funcionar, abra este endereço:',
  code: 'Digite este código no navegador em que você o pediu:',
  signature: '{brand} enviou este e-mail porque seu endereço foi informado em {url}. As respostas não são lidas.',
  device: '{browser} no {system}',
  unknownDevice: 'Dispositivo desconhecido',
  mails: {
    verify: {
      subject: 'Confirme seu endereço de e-mail para {brand}',
      paragraphs: [
        'Uma conta com o nome de usuário “{username}” foi criada em {brand} com este endereço de e-mail. ' +
          'Confirme que o endereço é seu. Depois disso, você poderá entrar.',
        'O link funciona uma só vez e expira após 24 horas.',
      ],
      button: 'Confirmar o endereço',
      advice: 'Se não foi você, ignore este e-mail. A conta não pode ser usada sem o link, e nós a excluímos após ' +
        'uma semana.',
    },
    reset: {
      subject: 'Escolha uma nova senha para {brand}',
      paragraphs: [
        'Foi solicitada a redefinição da senha da sua conta “{username}” em {brand}.',
        'O link funciona uma só vez e expira após uma hora.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Se não foi você, ignore este e-mail. Sua senha continua a mesma, e o link foi enviado somente para ' +
        'este endereço.',
    },
    invite: {
      subject: 'Seu convite para {brand}',
      paragraphs: [
        'Uma conta com o nome de usuário “{username}” foi criada para você em {brand}.',
        'Escolha uma senha para usá-la. O link funciona uma só vez e expira após sete dias.',
      ],
      button: 'Escolher uma senha',
      advice: 'Se você não sabe do que se trata, ignore este e-mail. A conta não pode ser usada sem o link.',
    },
    'no-password': {
      subject: 'Sua conta {brand} não tem senha',
      paragraphs: [
        'Foi solicitada a redefinição da senha da sua conta “{username}” em {brand}. ' +
          'Esta conta não tem senha, porque você entra nela por outro serviço.',
        'Para entrar, use o botão desse serviço na página de entrada.',
      ],
      button: 'Entrar',
      advice: 'Se não foi você, ignore este e-mail. Sua conta não mudou.',
    },
    'sign-in': {
      subject: 'Entre em {brand}',
      paragraphs: [
        'Foi solicitada uma entrada na sua conta “{username}” em {brand}.',
        'O botão faz você entrar no dispositivo em que o abrir. Este e-mail funciona uma só vez, por dez ' +
          'minutos. Não o encaminhe.',
      ],
      button: 'Entrar neste dispositivo',
      advice: 'Se não foi você, ignore este e-mail: ninguém consegue entrar sem ele. Não informe o código a ninguém.',
    },
    'sign-up': {
      subject: 'Crie sua conta {brand}',
      paragraphs: [
        'Alguém quis entrar em {brand} com este endereço de e-mail, que ainda não tem conta.',
        'Você pode criar uma agora, sem senha. Este e-mail funciona uma só vez, por dez minutos. Não o encaminhe.',
      ],
      button: 'Criar uma conta',
      advice: 'Se não foi você, ignore este e-mail: sem ele, nenhuma conta é criada.',
    },
    'confirm-identity': {
      subject: 'Seu código para {brand}',
      paragraphs: [
        'Confirme que é você quem quer alterar sua conta “{username}” em {brand}.',
        'O código funciona uma só vez, por dez minutos. Não informe o código a ninguém.',
      ],
      button: 'Ir para sua conta',
      advice: 'Se não foi você, alguém está usando um dispositivo em que você entrou. Veja agora os dispositivos ' +
        'na sua conta.',
    },
    'password-changed': {
      subject: 'Sua senha de {brand} foi alterada',
      paragraphs: [
        'A senha da sua conta “{username}” em {brand} foi alterada. Seus outros dispositivos foram desconectados.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Escolha uma nova senha agora.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'breached-password': {
      subject: 'Sua senha de {brand} não é segura',
      paragraphs: [
        'Alguém entrou na sua conta “{username}” em {brand} com a senha correta. ' +
          'Esta senha está em uma lista pública de senhas expostas em vazamentos de dados, talvez de outro serviço.',
        'Os invasores tentam primeiro essas senhas. Escolha uma nova senha agora, aqui e em todos os lugares onde ' +
          'você usa a atual.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Se não foi você, outra pessoa já sabe sua senha. Uma nova senha também desconecta os dispositivos dela.',
    },
    'password-expired': {
      subject: 'Escolha uma nova senha de {brand}',
      paragraphs: [
        'Um operador de {brand} expirou a senha da sua conta “{username}”, porque outras pessoas talvez a ' +
          'conheçam. Sua sessão foi encerrada em todos os dispositivos.',
        'A senha antiga não funciona mais. Escolha uma nova, aqui e em todos os lugares onde você usa a antiga.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Na página que se abre, insira seu endereço de e-mail: você receberá um link para escolher uma nova ' +
        'senha.',
    },
    'already-registered': {
      subject: 'Você já tem uma conta {brand}',
      paragraphs: [
        'Alguém tentou se cadastrar em {brand} com este endereço de e-mail. ' +
          'Ele já pertence a uma conta com o nome de usuário “{username}”.',
        'Se foi você, entre nessa conta. Se esqueceu a senha dela ou nunca confirmou este endereço, escolha uma ' +
          'nova senha: {url}/reset-password',
      ],
      button: 'Entrar',
      advice: 'Se não foi você, ignore este e-mail. Nenhuma segunda conta foi criada, e a pessoa não soube nada ' +
        'sobre sua conta.',
    },
    'change-email': {
      subject: 'Confirme seu novo endereço de e-mail para {brand}',
      paragraphs: [
        'Este endereço foi informado como o novo endereço de e-mail da conta “{username}” em {brand}. ' +
          'Confirme que o endereço é seu. Até lá, a conta mantém o endereço atual.',
        'O link funciona uma só vez e expira após uma hora.',
      ],
      button: 'Usar este endereço',
      advice: 'Se não foi você, ignore este e-mail. Nada vai mudar.',
    },
    'address-taken': {
      subject: 'Seu endereço de e-mail em {brand}',
      paragraphs: [
        'Alguém informou seu endereço como o novo endereço de e-mail de outra conta em {brand}. ' +
          'Ele pertence à sua conta “{username}” e continua nela. Nada mudou.',
        'Para usá-lo na outra conta, primeiro exclua esta ou dê outro endereço a ela.',
      ],
      button: 'Ir para sua conta',
      advice: 'Se não foi você, pode ignorar este e-mail.',
    },
    'email-changed': {
      subject: 'Seu endereço de e-mail de {brand} foi alterado',
      paragraphs: [
        'O endereço de e-mail da sua conta “{username}” em {brand} foi alterado para {email}. ' +
          'A partir de agora, enviamos para lá os e-mails sobre a conta.',
        'Se não foi você, outra pessoa tem acesso à sua conta. ' +
          'Restaure este endereço agora: isso também desconecta todos os dispositivos. ' +
          'O link funciona uma só vez e expira após 72 horas.',
      ],
      button: 'Restaurar este endereço',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'email-displaced': {
      subject: 'Outro endereço para sua conta {brand}',
      paragraphs: [
        'Este não é mais o endereço de e-mail da conta “{username}” em {brand}. ' +
          'A partir de agora, enviamos os e-mails sobre a conta para outro endereço.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Entre agora com seu nome de usuário, ' +
          'escolha uma nova senha e informe seu endereço novamente.',
      ],
      button: 'Entrar',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'email-restored': {
      subject: 'Seu endereço de e-mail de {brand} foi restaurado',
      paragraphs: [
        'Este é novamente o endereço de e-mail da sua conta “{username}” em {brand}. ' +
          'Todos os dispositivos foram desconectados.',
        'Se não foi você, ou se você não tinha alterado o endereço antes, outra pessoa tem acesso à sua conta. ' +
          'Escolha uma nova senha agora e verifique suas formas de entrar.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Se foi você quem alterou o endereço por engano, pode ignorar este e-mail.',
    },
    'factors-changed': {
      subject: 'A forma de entrar na sua conta {brand} foi alterada',
      paragraphs: [
        '{change}',
        'Se não foi você, outra pessoa tem acesso à sua conta. ' +
          'Verifique agora as formas de entrar e os dispositivos dela.',
      ],
      button: 'Ver sua conta',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'new-sign-in': {
      subject: 'Nova entrada na sua conta {brand}',
      paragraphs: [
        'Alguém entrou na sua conta “{username}” em {brand} com um novo dispositivo: {device}, do endereço {ip}, ' +
          'em {time} UTC.',
        'Se não foi você, alguém sabe sua senha. Escolha uma nova senha agora. ' +
          'Isso também desconecta esse dispositivo.',
      ],
      button: 'Escolher uma nova senha',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'new-sign-in-without-password': {
      subject: 'Nova entrada na sua conta {brand}',
      paragraphs: [
        'Alguém entrou na sua conta “{username}” em {brand} com um novo dispositivo: {device}, do endereço {ip}, ' +
          'em {time} UTC.',
        'Se não foi você, alguém tem acesso ao serviço com o qual você entra. ' +
          'Altere sua senha lá e desconecte esse dispositivo aqui.',
      ],
      button: 'Ver seus dispositivos',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
    'session-theft': {
      subject: 'Cópia de sessão recusada na sua conta {brand}',
      paragraphs: [
        'Alguém tentou usar uma cópia da sua sessão em {brand}, conta “{username}”, em outro dispositivo: ' +
          '{device}, do endereço {ip}, em {time} UTC.',
        'A cópia foi recusada, e sua sessão continua ativa. Um programa no seu próprio dispositivo pode ter ' +
          'copiado a sessão: verifique se o dispositivo tem software malicioso. Depois, desconecte-o na sua conta, ' +
          'para que a cópia não sirva para nada, e entre de novo.',
      ],
      button: 'Ver seus dispositivos',
      advice: 'Se foi você quem transferiu o navegador para um novo computador, entre de novo nele. Nesse caso, ' +
        'pode ignorar este e-mail.',
    },
    'more-alerts': {
      subject: 'Mais alertas sobre sua conta {brand}: {count}',
      paragraphs: [
        'Enviamos a você vários e-mails sobre sua conta “{username}” em {brand} com esta mensagem: {alert}',
        'Isso aconteceu mais vezes, e este e-mail substitui os que teríamos enviado para cada uma. Número de ' +
          'outras vezes: {count}. A primeira: {from} UTC; a última: {until} UTC.',
        'Se não foi você, outra pessoa tem acesso à sua conta. ' +
          'Verifique agora as formas de entrar e os dispositivos dela.',
      ],
      button: 'Ver sua conta',
      advice: 'Se foi você, pode ignorar este e-mail.',
    },
  },
  changes: {
    totp_added: 'Um app autenticador foi adicionado à sua conta “{username}” em {brand}.',
    totp_removed: 'O app autenticador foi removido da sua conta “{username}” em {brand}.',
    recovery_codes_created: 'Novos códigos de recuperação foram criados para sua conta “{username}” em {brand}. ' +
      'Os anteriores não valem mais.',
    recovery_code_used: 'Um código de recuperação foi usado para entrar na sua conta “{username}” em {brand}.',
    passkey_added: 'Uma chave de acesso foi adicionada à sua conta “{username}” em {brand}.',
    passkey_removed: 'Uma chave de acesso foi removida da sua conta “{username}” em {brand}.',
    password_added: 'Uma senha foi adicionada à sua conta “{username}” em {brand}.',
    provider_linked: 'Um serviço externo para entrar foi conectado à sua conta “{username}” em {brand}.',
    provider_removed: 'Um serviço externo para entrar foi desconectado da sua conta “{username}” em {brand}.',
    factors_reset: 'Um operador removeu todos os segundos fatores e chaves de acesso da sua conta “{username}” em ' +
      '{brand}.',
    operator_factors_reset: 'Todos os segundos fatores e chaves de acesso foram removidos da sua conta “{username}” ' +
      'em {brand}. A conta deixou de ser de operador, até que um administrador a nomeie novamente.',
  },
}
