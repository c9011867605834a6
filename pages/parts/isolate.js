const isRightToLeft = document.documentElement.dir === 'rtl'

/** Keeps a part of a line in its own direction, such as an address in an Arabic one. @param {string} text */
export const isolate = text => isRightToLeft ? `\u2068${text}\u2069` : text
