import { Eta } from 'eta/core'

/** For HTML that is not written as a template. */
export const escapeHtml: (text: string) => string = new Eta().config.escapeFunction
