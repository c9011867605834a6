/** Who made a change, as events record it. The third is `command line`. */
export const keyActor = (name: string) => `key ${name}`
export const operatorActor = (username: string) => `operator ${username}`
/** The application, in its answer to a hook. */
export const hookActor = (hook: 'registration' | 'sign_in') => `hook ${hook}`

export const isApiKey = (actor: string): boolean => actor.startsWith(keyActor(''))
