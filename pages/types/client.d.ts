/** Returns a successful response; throws a GatehouseError otherwise. @param {Response | Promise<Response>} pending */
export function expectOk(pending: Response | Promise<Response>): Promise<Response>;
/**
 * One client is enough for a page.
 * @param {{ url?: string }} [options] `url`: the address of Gatehouse, if it is not the origin of the page.
 */
export function createClient({ url }?: {
    url?: string;
}): {
    /** Whether the access token is valid for at least another minute, as far as this page knows. */
    isFresh: () => boolean;
    /** Refreshes the tokens, once for all tabs and concurrent callers. Resolves to `null` if no user is signed in. */
    refresh: () => Promise<User | null>;
    /** The signed-in user according to the tokens, or `null`. */
    me(): Promise<User | null>;
    /** Whether the user must add a second factor before anything else, as far as this page knows. */
    mustEnrol: () => boolean;
    /**
     * Resolves to the user, or to `{ secondFactor }` if `signInWithCode` or `finishWithPasskey` must follow.
     * @param {string} username Username or email.
     * @param {string} password
     * @returns {Promise<SignedInUser | SecondStep>}
     */
    signIn(username: string, password: string): Promise<SignedInUser | SecondStep>;
    /**
     * Sends a code and a link to the address. The code works in this browser.
     * @param {string} email
     * @param {{ next?: string }} [options] `next`: the path to open after a sign-in with the link.
     */
    sendSignInMail(email: string, { next }?: {
        next?: string;
    }): Promise<void>;
    /**
     * Resolves to the user, to `{ secondFactor }` as `signIn` does, or to `{ register, email }` for a new address.
     * @param {{ code: string } | { token: string }} proof The code of the mail, or the token of its link.
     * @returns {Promise<SignedInUser | SecondStep | NewAddress>}
     */
    signInByMail(proof: {
        code: string;
    } | {
        token: string;
    }): Promise<SignedInUser | SecondStep | NewAddress>;
    /**
     * Creates an account without a password, after `signInByMail` resolved to `{ register }`, and signs in to it.
     * @param {{ name: string, username?: string }} account `username`: made from the name if it is missing.
     * @returns {Promise<SignedInUser>}
     */
    registerByMail(account: {
        name: string;
        username?: string;
    }): Promise<SignedInUser>;
    /**
     * The second step of a login.
     * @param {string} code Of the authenticator app, or a recovery code.
     * @param {{ remember?: boolean }} [options] `remember`: do not ask in this browser again.
     * @returns {Promise<SignedInUser>}
     */
    signInWithCode(code: string, { remember }?: {
        remember?: boolean;
    }): Promise<SignedInUser>;
    /** The options for `PublicKeyCredential.parseRequestOptionsFromJSON()`. They are valid for five minutes. */
    passkeyOptions(): Promise<any>;
    /**
     * Signs in with a passkey alone.
     * @param {object} response The result of `credential.toJSON()`.
     * @returns {Promise<SignedInUser>}
     */
    signInWithPasskey(response: object): Promise<SignedInUser>;
    /**
     * The second step of a login, with a passkey.
     * @param {object} response The result of `credential.toJSON()`.
     * @param {{ remember?: boolean }} [options] `remember`: do not ask in this browser again.
     * @returns {Promise<SignedInUser>}
     */
    finishWithPasskey(response: object, { remember }?: {
        remember?: boolean;
    }): Promise<SignedInUser>;
    /**
     * Confirms the identity of the signed-in user, after a 403 "Confirm it is you". Repeat the request afterwards.
     * @param {{ password: string } | { code: string } | { passkey: object }} proof
     */
    confirm(proof: {
        password: string;
    } | {
        code: string;
    } | {
        passkey: object;
    }): Promise<void>;
    /**
     * Call it when the user follows a link to a provider to confirm their identity. If the way back is interrupted,
     * the user stays signed in.
     */
    prepareProof: typeof prepareProof;
    /** Ends the session, in this tab and all others. */
    signOut(): Promise<void>;
    /** Tells all tabs that the session has ended. */
    forget(): void;
    /** Calls the listener when another tab signs out. @param {() => void} listener */
    onSignOut(listener: () => void): void;
    /**
     * A token for another service, for its `Authorization` header. It is asked for once and used while it is valid,
     * by all tabs: call this before each request.
     * @param {string} audience One of `TOKEN_AUDIENCES`.
     * @returns {Promise<string>}
     */
    token(audience: string): Promise<string>;
    /**
     * Like the browser's `fetch`. For requests to the origin of the page and to Gatehouse, refreshes an expired access
     * token and repeats the request. Sends the CSRF token with unsafe methods, only to Gatehouse.
     * @param {RequestInfo | URL} input
     * @param {RequestInit} [init]
     */
    fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
};
/** A request that failed. `status` is 0 if the service could not be reached. */
export class GatehouseError extends Error {
    /**
     * @param {number} status
     * @param {{ error?: string, message?: string, errors?: string[], methods?: string[] }} body
     * @param {number} [retryAfter]
     */
    constructor(status: number, body: {
        error?: string;
        message?: string;
        errors?: string[];
        methods?: string[];
    }, retryAfter?: number);
    status: number;
    error: string | undefined;
    errors: string[];
    /** How the user can confirm their identity, if the response is 403 "Confirm it is you". See `confirm`. */
    methods: string[];
    /** Seconds, if the response has a `Retry-After` header. */
    retryAfter: number | undefined;
}
export function asJson(method: string, body?: unknown): RequestInit;
/**
 * The user that the tokens name.
 */
export type User = {
    id: string;
    username: string;
};
/**
 * The user that signed in.
 */
export type SignedInUser = User & {
    email: string;
    name: string | null;
};
/**
 * What the account can prove the second factor with.
 */
export type FactorMethod = "passkey" | "totp" | "recovery";
/**
 * The password is right, and a second factor is needed.
 */
export type SecondStep = {
    secondFactor: FactorMethod[];
};
/**
 * An address without an account: call `registerByMail`.
 */
export type NewAddress = {
    register: true;
    email: string;
};
/**
 * The result of `createClient`.
 */
export type GatehouseClient = ReturnType<typeof createClient>;
/**
 * A proof of identity replaces the session. If the response is lost, this random value, which stays until then, shows
 * that the old cookies are in the browser that sent the proof. A copy of them from before has no such value.
 */
declare function prepareProof(): void;
export {};
