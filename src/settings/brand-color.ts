const BLACK = '#000000'
const WHITE = '#ffffff'
/** The contrast that WCAG requires of text. */
const READABLE = 4.5

export function isColor (value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}

function channels (color: string): number[] {
  return [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16))
}

/** As WCAG defines it: 0 for black, 1 for white. */
function luminance (color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map(channel => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 (the same colour) to 21 (black on white). */
export function contrast (one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white: one of the two is readable on every colour. */
export function textOn (background: string): string {
  return contrast(background, WHITE) >= READABLE ? WHITE : BLACK
}

/** The same hue, darkened or lightened until the contrast is enough. The default is for text; shapes need 3. */
export function readableOn (color: string, background: string, enough = READABLE): string {
  const towards = textOn(background)
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = mix(color, towards, percent / 100)
    if (contrast(mixed, background) >= enough) return mixed
  }
  return towards
}

function mix (from: string, to: string, share: number): string {
  const target = channels(to)
  const mixed = channels(from).map((channel, index) => channel + (target[index] as number - channel) * share)
  return '#' + mixed.map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')
}
