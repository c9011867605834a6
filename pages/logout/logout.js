import { gatehouse } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { requestedNext } from '../parts/way-back.js'

// Without this script, the browser sends the form: the same, but other tabs learn of it with their next request.
handleForm(byId('logout', HTMLFormElement), async () => {
  await gatehouse.signOut()
  location.replace(requestedNext() || '/login?reason=signed-out')
  return new Promise(() => {})
})
