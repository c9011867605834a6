/** Directives, and their sources. */
type Policy = Record<string, string>

const STRICT: Policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
}

const NO_FORMS = "'none'"

const toText = (policy: Policy) => Object.entries(policy).map(directive => directive.join(' ')).join('; ')

/**
 * The policy in the pages themselves: no inline code. The specification fixes the one in the header, which allows it.
 * Browsers apply both. Only the header can restrict who may frame a page.
 * `forms`: where browsers may send forms themselves, or `anywhere`. Chromium also checks the redirects that follow.
 */
export function pagePolicy (logo: string, forms = NO_FORMS): string {
  const images = URL.canParse(logo) ? `'self' ${new URL(logo).origin}` : "'self'"
  return toText({
    ...STRICT,
    ...forms !== 'anywhere' && { 'form-action': forms },
    'img-src': images,
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  })
}

/** Swagger UI draws its icons from data, and builds markup from text. */
export const docsPolicy = (): string => toText({ ...STRICT, 'form-action': NO_FORMS, 'img-src': "'self' data:" })
