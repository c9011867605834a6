/** How many tokens are remembered: a power of two. */
const SIZE = 2 ** 14
const FNV_PRIME = 0x01000193

/** Tells the second use of a token from the first. In 64 KB, so that it forgets some and, rarely, confuses two. */
export function createSeenBefore () {
  const marks = new Uint32Array(SIZE)

  return function seenBefore (token: string): boolean {
    let mark = 0
    // The last characters are those of the signature, which are as good as random.
    for (let index = Math.max(0, token.length - 8); index < token.length; index++) {
      mark = Math.imul(mark ^ token.charCodeAt(index), FNV_PRIME) >>> 0
    }
    const place = mark % SIZE
    const isSeen = marks[place] === mark
    marks[place] = mark
    return isSeen
  }
}
