/** The product's own command line, as an application: `gatehouse login`. */
export const COMMAND_LINE = {
  id: '2f9f63bd-6f37-4f3c-9d0c-8a3b6f0c7a51',
  name: 'Gatehouse command line',
  /** How long an operator is signed in there, in seconds: 8 hours. */
  lifetime: 8 * 60 * 60,
}
