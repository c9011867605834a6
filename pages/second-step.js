// @ts-check
import { gatehouse } from './api.js'
import { GatehouseError } from './client.js'
import { handleCodeField } from './code-field.js'
import { byId, showPart } from './elements.js'
import { handleForm } from './form.js'
import { texts } from './texts.js'

/**
 * The second step of a login. The result shows it, and returns whether one of the methods can be asked for.
 * @param {{ onSignedIn: () => Promise<unknown>, onStartAgain: (message: string) => void }} listeners
 */
export function handleSecondStep ({ onSignedIn, onStartAgain }) {
  const field = handleCodeField()
  byId('start-again', HTMLButtonElement).addEventListener('click', () => onStartAgain(''))

  handleForm(byId('second-step', HTMLFormElement), async ({ code = '', remember }) => {
    try {
      await gatehouse.signInWithCode(code, { remember: remember === 'on' })
    } catch (error) {
      if (!(error instanceof GatehouseError && error.error === 'Login expired')) throw error
      return onStartAgain(texts.secondStep.over)
    }
    await onSignedIn()
  }, { 401: () => ['code', field.wrong()] })

  return function askForCode (/** @type {string[]} */ methods) {
    if (!field.offer(methods)) return false
    showPart('second-step')
    field.input.focus()
    return true
  }
}
