import { Type } from '@sinclair/typebox'
import { response, failures, noContent, redirect } from './common.ts'
import { PUBLIC } from './documentation.ts'

const File = Type.Unsafe<Buffer>(Type.String())
const notModified = noContent('Not modified.')

const SUMMARIES = {
  login: 'The page to sign in',
  'mail-sign-in': 'The page to sign in by mail, and behind the link of such a mail',
  register: 'The page to create an account',
  'verify-email': 'The page behind the link that confirms an address',
  'reset-password': 'The page to reset a password',
  dashboard: 'The page of the signed-in user',
  logout: 'The page to sign out',
}

export const pageSchema = (name: keyof typeof SUMMARIES) => ({
  operationId: `${name}-page`,
  summary: SUMMARIES[name],
  tags: ['Pages'],
  security: PUBLIC,
  produces: ['text/html'],
  response: { 200: response('The page. It contains nothing private.', File) },
})

const SECTIONS = {
  security: 'ways to sign in and the password',
  devices: 'devices and recent events',
  applications: 'connected applications',
  data: 'download and deletion of the account',
}

export const MailPageSchema = {
  ...pageSchema('mail-sign-in'),
  response: {
    ...pageSchema('mail-sign-in').response,
    302: redirect('To the login page, with `MAIL_SIGN_IN=off`.'),
  },
}

/** A section of the dashboard. */
export const sectionSchema = (name: keyof typeof SECTIONS) => ({
  ...pageSchema('dashboard'),
  operationId: `dashboard-${name}-page`,
  summary: `The page of the signed-in user: ${SECTIONS[name]}`,
})

export const StartPageSchema = {
  summary: 'Redirect to the account or to the login page',
  tags: ['Pages'],
  security: PUBLIC,
  response: { 302: redirect('To `LOGIN_REDIRECT` for a signed-in user, otherwise to the login page.') },
}

export const AssetSchema = {
  hide: true,
  params: Type.Object({ '*': Type.String({ maxLength: 200 }) }),
  response: { 200: File, 304: notModified, ...failures(400, 404) },
}

export const FormerClientSchema = {
  hide: true,
  response: { 308: redirect('To the browser client.') },
}

export const ChangePasswordPageSchema = {
  summary: 'Redirect for password managers',
  tags: ['Pages'],
  security: PUBLIC,
  response: { 302: redirect('To the page where the password is changed.') },
}

const CACHED = { etag: Type.String({ description: 'Send it back in `If-None-Match`' }) }

export const DocsPageSchema = {
  operationId: 'docs-page',
  summary: 'The API documentation, to read and to try out',
  tags: ['Pages'],
  security: PUBLIC,
  produces: ['text/html'],
  response: { 200: response('The page.', File) },
}

/** Scripts and style sheets of that page, and the document of /openapi.json once more. */
export const DocsFileSchema = {
  hide: true,
  response: { 200: Type.Unknown(), 304: notModified, ...failures(403, 404) },
}

export const OpenApiSchema = {
  summary: 'The API documentation, for programs',
  tags: ['Pages'],
  security: PUBLIC,
  response: {
    200: response('An OpenAPI 3.1 document.', Type.Unsafe<Buffer>(Type.Object({})), CACHED),
    304: notModified,
  },
}
