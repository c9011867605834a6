// @ts-check

/** @type {typeof import('./en.js').default} */
export default {
  greeting: '您好！',
  address: '如果按钮无法使用，请打开此地址：',
  code: '请在申请验证码的浏览器中输入此验证码：',
  signature: '{brand} 发送此邮件，是因为有人在 {url} 填写了您的地址。请勿回复，回复不会被阅读。',
  device: '{system} 上的 {browser}',
  unknownDevice: '未知设备',
  mails: {
    verify: {
      subject: '确认您在 {brand} 的电子邮箱地址',
      paragraphs: [
        '有人使用此电子邮箱地址在 {brand} 创建了用户名为“{username}”的账号。请确认此地址属于您。确认后即可登录。',
        '链接只能使用一次，24 小时后失效。',
      ],
      button: '确认电子邮箱地址',
      advice: '如果这不是您的操作，请忽略此邮件。没有此链接，该账号无法使用，一周后我们会将其删除。',
    },
    reset: {
      subject: '为 {brand} 设置新密码',
      paragraphs: [
        '有人请求重置您在 {brand} 的账号“{username}”的密码。',
        '链接只能使用一次，一小时后失效。',
      ],
      button: '设置新密码',
      advice: '如果这不是您的操作，请忽略此邮件。您的密码保持不变，链接只发送到了此邮箱。',
    },
    invite: {
      subject: '邀请您使用 {brand}',
      paragraphs: [
        '已在 {brand} 为您创建了一个用户名为“{username}”的账号。',
        '请设置密码以使用该账号。此链接只能使用一次，七天后失效。',
      ],
      button: '设置密码',
      advice: '如果您不清楚这是怎么回事，请忽略此邮件。没有此链接，该账号无法使用。',
    },
    'no-password': {
      subject: '您的 {brand} 账号没有密码',
      paragraphs: [
        '有人请求重置您在 {brand} 的账号“{username}”的密码。此账号没有密码，因为您通过其他服务登录。',
        '要登录，请使用登录页面上该服务的按钮。',
      ],
      button: '登录',
      advice: '如果这不是您的操作，请忽略此邮件。您的账号没有变化。',
    },
    'sign-in': {
      subject: '登录 {brand}',
      paragraphs: [
        '有人请求登录您在 {brand} 的账号“{username}”。',
        '您在哪台设备上点击按钮，就会在哪台设备上登录。此邮件只能使用一次，十分钟内有效。请勿转发。',
      ],
      button: '在此设备上登录',
      advice: '如果这不是您的操作，请忽略此邮件：没有它，任何人都无法登录。请勿将验证码告诉任何人。',
    },
    'sign-up': {
      subject: '创建您的 {brand} 账号',
      paragraphs: [
        '有人想用此电子邮箱地址登录 {brand}，但该地址还没有账号。',
        '您现在可以创建一个，无需密码。此邮件只能使用一次，十分钟内有效。请勿转发。',
      ],
      button: '创建账号',
      advice: '如果这不是您的操作，请忽略此邮件：没有它，不会创建任何账号。',
    },
    'confirm-identity': {
      subject: '您的 {brand} 验证码',
      paragraphs: [
        '请确认是您本人要更改在 {brand} 的账号“{username}”。',
        '验证码只能使用一次，十分钟内有效。请勿告诉任何人。',
      ],
      button: '前往您的账号',
      advice: '如果这不是您的操作，说明有人正在使用您已登录的设备。请立即在账号中查看设备。',
    },
    'password-changed': {
      subject: '您的 {brand} 密码已更改',
      paragraphs: [
        '您在 {brand} 的账号“{username}”的密码已更改。您的其他设备已退出登录。',
        '如果这不是您的操作，说明有他人能够访问您的账号。请立即设置新密码。',
      ],
      button: '设置新密码',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'breached-password': {
      subject: '您的 {brand} 密码不安全',
      paragraphs: [
        '有人使用正确的密码登录了您在 {brand} 的账号“{username}”。此密码出现在一份公开的泄露密码列表中，可能来自其他服务的数据泄露。',
        '攻击者会首先尝试这类密码。请立即在这里以及其他所有使用此密码的地方设置新密码。',
      ],
      button: '设置新密码',
      advice: '如果这不是您的操作，说明已有他人知道您的密码。设置新密码也会使其设备退出登录。',
    },
    'password-expired': {
      subject: '请设置新的 {brand} 密码',
      paragraphs: [
        '{brand} 的运营者已使您的账号“{username}”的密码失效，因为该密码可能已被他人知晓。您已在所有设备上退出登录。',
        '旧密码不再有效。请设置新密码，并在其他所有使用旧密码的地方进行更改。',
      ],
      button: '设置新密码',
      advice: '请在打开的页面上输入您的电子邮箱地址，随后您会收到用于设置新密码的链接。',
    },
    'already-registered': {
      subject: '您已有 {brand} 账号',
      paragraphs: [
        '有人尝试使用此电子邮箱地址在 {brand} 注册。此地址已属于用户名为“{username}”的账号。',
        '如果这是您的操作，请登录该账号。如果您忘记了密码，或从未确认过此地址，请设置新密码：{url}/reset-password',
      ],
      button: '登录',
      advice: '如果这不是您的操作，请忽略此邮件。没有创建第二个账号，对方也没有得知您的账号。',
    },
    'change-email': {
      subject: '确认您在 {brand} 的新电子邮箱地址',
      paragraphs: [
        '有人将此地址填写为 {brand} 账号“{username}”的新电子邮箱地址。请确认此地址属于您。在此之前，账号保留当前地址。',
        '链接只能使用一次，一小时后失效。',
      ],
      button: '使用此地址',
      advice: '如果这不是您的操作，请忽略此邮件。这样不会有任何变化。',
    },
    'address-taken': {
      subject: '您在 {brand} 的电子邮箱地址',
      paragraphs: [
        '有人将您的地址填写为 {brand} 另一个账号的新电子邮箱地址。此地址属于您的账号“{username}”，并将继续属于它。没有任何变化。',
        '要将此地址用于另一个账号，请先删除此账号，或为它更换其他地址。',
      ],
      button: '前往您的账号',
      advice: '如果这不是您的操作，可以忽略此邮件。',
    },
    'email-changed': {
      subject: '您在 {brand} 的电子邮箱地址已更改',
      paragraphs: [
        '您在 {brand} 的账号“{username}”的电子邮箱地址已更改为 {email}。从现在起，有关该账号的邮件将发送到那里。',
        '如果这不是您的操作，说明有他人能够访问您的账号。请立即恢复此地址：这也会使所有设备退出登录。链接只能使用一次，72 小时内有效。',
      ],
      button: '恢复此地址',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'email-displaced': {
      subject: '您在 {brand} 的账号已改用其他邮箱地址',
      paragraphs: [
        '此地址不再是 {brand} 账号“{username}”的电子邮箱地址。从现在起，有关该账号的邮件将发送到其他地址。',
        '如果这不是您的操作，说明有他人能够访问您的账号。请立即使用用户名登录，设置新密码，并重新填写您的地址。',
      ],
      button: '登录',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'email-restored': {
      subject: '您在 {brand} 的电子邮箱地址已恢复',
      paragraphs: [
        '此地址重新成为您在 {brand} 的账号“{username}”的电子邮箱地址。所有设备均已退出登录。',
        '如果这不是您的操作，或者您之前没有更改过地址，说明有他人能够访问您的账号。请立即设置新密码，并检查您的登录方式。',
      ],
      button: '设置新密码',
      advice: '如果是您自己误改了地址，可以忽略此邮件。',
    },
    'factors-changed': {
      subject: '您的 {brand} 账号的登录方式已更改',
      paragraphs: [
        '{change}',
        '如果这不是您的操作，说明有他人能够访问您的账号。请立即检查其登录方式和设备。',
      ],
      button: '查看您的账号',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'new-sign-in': {
      subject: '您的 {brand} 账号有新的登录',
      paragraphs: [
        '有人在新设备上登录了您在 {brand} 的账号“{username}”：{device}，来自地址 {ip}，时间 {time} UTC。',
        '如果这不是您的操作，说明有人知道您的密码。请立即设置新密码。这也会使该设备退出登录。',
      ],
      button: '设置新密码',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'new-sign-in-without-password': {
      subject: '您的 {brand} 账号有新的登录',
      paragraphs: [
        '有人在新设备上登录了您在 {brand} 的账号“{username}”：{device}，来自地址 {ip}，时间 {time} UTC。',
        '如果这不是您的操作，说明有人能够访问您用来登录的服务。请在那里更改密码，并在这里让该设备退出登录。',
      ],
      button: '查看您的设备',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
    'session-theft': {
      subject: '已拒绝使用复制的登录信息访问您的 {brand} 账号',
      paragraphs: [
        '有人试图在另一台设备上使用您在 {brand} 的账号“{username}”的登录副本：{device}，来自地址 {ip}，时间 {time} UTC。',
        '该副本已被拒绝，您仍保持登录状态。可能是您自己设备上的某个程序复制了登录信息：请检查该设备是否有恶意软件。然后在您的账号中让该设备退出登录，使副本彻底失效，再重新登录。',
      ],
      button: '查看您的设备',
      advice: '如果是您自己把浏览器转移到了新电脑，请在新电脑上重新登录，并可忽略此邮件。',
    },
    'more-alerts': {
      subject: '关于您的 {brand} 账号的更多提醒：{count} 条',
      paragraphs: [
        '关于您在 {brand} 的账号“{username}”，我们已向您发送多封邮件，内容为：{alert}',
        '此后又发生了多次，我们用这封邮件代替逐次通知。此后次数：{count}，首次：{from} UTC，末次：{until} UTC。',
        '如果这不是您的操作，说明有他人能够访问您的账号。请立即检查其登录方式和设备。',
      ],
      button: '查看您的账号',
      advice: '如果这是您的操作，可以忽略此邮件。',
    },
  },
  changes: {
    totp_added: '您在 {brand} 的账号“{username}”已添加身份验证器应用。',
    totp_removed: '您在 {brand} 的账号“{username}”已移除身份验证器应用。',
    recovery_codes_created: '您在 {brand} 的账号“{username}”已创建新的恢复代码。原有代码已失效。',
    recovery_code_used: '有人使用恢复代码登录了您在 {brand} 的账号“{username}”。',
    passkey_added: '您在 {brand} 的账号“{username}”已添加一个通行密钥。',
    passkey_removed: '您在 {brand} 的账号“{username}”已移除一个通行密钥。',
    password_added: '您在 {brand} 的账号“{username}”已添加密码。',
    provider_linked: '您在 {brand} 的账号“{username}”已关联一个外部服务的登录方式。',
    provider_removed: '您在 {brand} 的账号“{username}”已取消关联一个外部服务的登录方式。',
    factors_reset: '运营者已移除您在 {brand} 的账号“{username}”的所有第二重验证和通行密钥。',
    operator_factors_reset: '您在 {brand} 的账号“{username}”的所有第二重验证和通行密钥已被移除。在管理员重新指定之前，该账号不再具有运营者身份。',
  },
}
