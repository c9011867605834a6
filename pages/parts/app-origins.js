/** APP_ORIGINS, which the layout of a page names. @type {string[]} */
export const appOrigins = document.body.dataset.appOrigins?.split(' ') ?? []
