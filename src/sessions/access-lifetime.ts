/** Seconds that an access token is valid. */
export const ACCESS_LIFETIME = 15 * 60
