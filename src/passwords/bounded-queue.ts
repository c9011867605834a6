import { Overloaded } from '../errors.ts'

interface Options<Item> {
  /** What waits, for the log: "logins waited …". */
  name: string
  maxRunning: number
  maxWaiting: number
  /** Milliseconds after which one that still waits is refused. */
  timeout?: number
  /** Lets waiting tasks share a place: runs the items of up to `max` of them together. */
  together?: { max: number, run (items: Item[]): Promise<unknown[]> }
  /** Called at each start, with the seconds that it waited. */
  onStart? (waited: number): void
  /** Called for each that is refused. */
  onRefusal? (): void
}

interface Task<Item> {
  work (): Promise<unknown>
  item?: Item
  begin (result: Promise<unknown>): void
}

/** Runs at most `maxRunning` tasks at once and lets `maxWaiting` wait. Further tasks are refused immediately. */
export function createQueue<Item = never> (options: Options<Item>) {
  const { name, maxRunning, maxWaiting, timeout, together, onStart, onRefusal } = options
  const waiting = new Set<Task<Item>>()
  let freePlaces = maxRunning
  let running = 0

  function refuse (reason: string, cause?: unknown): Overloaded {
    onRefusal?.()
    return new Overloaded(reason, cause)
  }

  /** Returns how to stop waiting. */
  function wait (task: Task<Item>, giveUp: (reason: Overloaded) => void, signal?: AbortSignal) {
    function leave () {
      waiting.delete(task)
      clearTimeout(timer)
      signal?.removeEventListener('abort', expire)
    }
    function expire () {
      leave()
      giveUp(refuse(`${name} waited too long for their turn`, signal?.reason))
    }
    waiting.add(task)
    const timer = timeout && setTimeout(expire, timeout)
    signal?.addEventListener('abort', expire)
    if (signal?.aborted) expire()
    return leave
  }

  /**
   * The next in line, and those right behind it that can share its place. None is overtaken.
   * As many as there are for each place: the other places will be free soon, too.
   */
  function nextTasks (): Task<Item>[] {
    const size = Math.min(together?.max ?? 1, Math.ceil(waiting.size / maxRunning))
    const tasks = [...waiting].slice(0, size)
    const alone = tasks.findIndex(({ item }) => item === undefined)
    return alone < 0 ? tasks : tasks.slice(0, Math.max(alone, 1))
  }

  async function runAll (tasks: Task<Item>[]): Promise<unknown[]> {
    running += tasks.length
    try {
      const [first] = tasks
      if (tasks.length === 1) return [await first?.work()]
      return await together?.run(tasks.map(({ item }) => item as Item)) ?? []
    } finally {
      running -= tasks.length
      freePlaces++
      // The place goes to the next in line; no newcomer can take it in between.
      start(nextTasks())
    }
  }

  function start (tasks: Task<Item>[]) {
    if (tasks.length === 0) return
    freePlaces--
    for (const task of tasks) waiting.delete(task)
    const results = runAll(tasks)
    for (const [index, task] of tasks.entries()) task.begin(results.then(all => all[index]))
  }

  return {
    get running () { return running },
    get waiting () { return waiting.size },

    /**
     * Throws Overloaded where the queue is full, or where the signal aborts before the turn has come.
     * Where it has waited, and others with an `item` too, `together` may run its item instead of `work`.
     */
    async run<T> (work: () => Promise<T>, signal?: AbortSignal, item?: Item): Promise<T> {
      const asked = performance.now()
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      let leave = () => {}
      const task: Task<Item> = {
        work,
        item,
        begin (result) {
          leave()
          onStart?.((performance.now() - asked) / 1_000)
          resolve(result as Promise<T>)
        },
      }
      if (freePlaces > 0) start([task])
      else if (waiting.size >= maxWaiting) throw refuse(`the queue of ${name} is full`)
      else leave = wait(task, reject, signal)
      return promise
    },
  }
}
