import { createHook } from 'node:async_hooks'

const kept: object[] = []

/**
 * Keeps one of the objects in which Node stores a call of `process.nextTick`. If a garbage collection finds none, V8
 * forgets their shape, and from then on each call, of which a request makes seven, takes several times as long.
 * Call it before the first collection.
 */
export function keepTickShape () {
  const hook = createHook({
    trackPromises: false,
    init (_id, type, _trigger, resource) {
      if (type === 'TickObject') kept.push(resource)
    },
  }).enable()
  process.nextTick(() => {})
  hook.disable()
}
