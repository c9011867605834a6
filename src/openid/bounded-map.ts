/** Anyone can name applications without end: beyond `max` entries, a new one takes the place of the oldest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor (max: number) {
    super()
    this.#max = max
  }

  /** The entry is the newest afterwards, also one that was there before. */
  override set (key: Key, value: Value): this {
    this.delete(key)
    if (this.size >= this.#max) this.delete(this.keys().next().value as Key)
    return super.set(key, value)
  }
}
