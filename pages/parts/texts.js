/** The texts in the language of the page. @type {typeof import('../texts/en.js').default} */
export const texts = (await import(`../texts/${document.documentElement.lang}.js`)).default
