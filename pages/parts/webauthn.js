import '../simplewebauthn.js'

/** The package has one file for browsers, which sets this name. @type {typeof import('@simplewebauthn/browser')} */
const library = Reflect.get(globalThis, 'SimpleWebAuthnBrowser')

export const {
  browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, sendSignal, startAuthentication, startRegistration,
  WebAuthnAbortService, WebAuthnError,
} = library
