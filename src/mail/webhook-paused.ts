export interface WebhookPaused { kind: 'webhook-paused', webhook: string, host: string, reason: string }

/** For operators, in English like the log and the command line. */
export function writeWebhookPaused ({ webhook, host, reason }: WebhookPaused, brand: string) {
  return {
    subject: `${brand}: a webhook was paused`,
    text: `${brand} sends no more messages to the webhook ${webhook} at ${host}: ${reason}.\n\n` +
      'Messages wait until you resume it:\n\n' +
      `  gatehouse webhook deliveries ${webhook}\n  gatehouse webhook resume ${webhook}\n`,
  }
}
