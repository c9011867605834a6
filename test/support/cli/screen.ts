/** What a terminal of this width shows after the text: the cursor moves and erases, colours are ignored. */
export function showOnScreen (text: string, columns: number): string[] {
  const rows: string[][] = [[]]
  let [row, column] = [0, 0]
  const current = () => (rows[row] ??= [])

  function moveTo (newRow: number, newColumn: number) {
    row = Math.max(0, newRow)
    column = Math.max(0, newColumn)
    while (rows.length <= row) rows.push([])
  }

  function write (character: string) {
    if (column >= columns) moveTo(row + 1, 0)
    while (current().length < column) current().push(' ')
    current()[column++] = character
  }

  const commands: Record<string, (first: number, second: number) => void> = {
    A: count => moveTo(row - (count || 1), column),
    B: count => moveTo(row + (count || 1), column),
    C: count => moveTo(row, column + (count || 1)),
    D: count => moveTo(row, column - (count || 1)),
    G: to => moveTo(row, (to || 1) - 1),
    H: (toRow, toColumn) => moveTo((toRow || 1) - 1, (toColumn || 1) - 1),
    J: what => {
      if (what !== 0) throw new Error(`erase ${what} is not expected`)
      current().splice(column)
      rows.splice(row + 1)
    },
    K: what => {
      if (what === 0) current().splice(column)
      else current().fill(' ', 0, what === 1 ? column + 1 : undefined)
    },
    m: () => {},
    h: () => {},
    l: () => {},
  }

  // eslint-disable-next-line no-control-regex
  for (const [part, parameters, command] of text.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|[^]/gu)) {
    if (command) {
      const [first = 0, second = 0] = (parameters ?? '').replace('?', '').split(';').map(Number)
      const run = commands[command]
      if (!run) throw new Error(`the sequence ${JSON.stringify(part)} is not known`)
      run(first, second)
    } else if (part === '\r') column = 0
    else if (part === '\n') moveTo(row + 1, column)
    else if (part === '\b') moveTo(row, column - 1)
    else if (part !== '\u0007') write(part)
  }
  return rows.map(cells => cells.join('').trimEnd())
}
