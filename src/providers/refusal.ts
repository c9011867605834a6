/** Why a provider refused: the fields of OAuth 2 (RFC 6749, 4.1.2.1 and 5.2), as they are logged. */
export interface Refusal { error: string, error_description?: string }

/** Longer texts are cut off. The texts come from outside. */
const MAX_LENGTH = 300

/** From the answer of a provider. One that repeats what we sent must not bring `secrets` into the log. */
export function refusalIn (answer: unknown, secrets: string[]): Refusal | undefined {
  const { error, error_description: description } = (answer ?? {}) as Record<string, unknown>
  if (typeof error !== 'string' || !error) return undefined
  return {
    error: forLog(error, secrets),
    ...(typeof description === 'string' && { error_description: forLog(description, secrets) }),
  }
}

/** From an error of openid-client: the provider refused in the body of its answer, or in `WWW-Authenticate`. */
export function refusalOf (error: unknown, secrets: string[]): Refusal | undefined {
  const { cause } = error as Error
  const challenges = Array.isArray(cause) ? cause.map(({ parameters }) => parameters) : []
  return [error, ...challenges].map(answer => refusalIn(answer, secrets)).find(Boolean)
}

function forLog (text: string, secrets: string[]): string {
  const forms = secrets.flatMap(secret => [secret, encodeURIComponent(secret)]).filter(Boolean)
  const redacted = forms.reduce((rest, form) => rest.replaceAll(form, '[Redacted]'), text)
  return redacted.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_LENGTH)
}
