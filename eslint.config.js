import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist/', '.data/', '.tap/'] }),
  // A schema and the type of what it describes share a name.
  { rules: { '@typescript-eslint/no-redeclare': 'off' } },
  // The type checker knows the names of the browser.
  { files: ['pages/**/*.js'], rules: { 'no-undef': 'off' } },
]
