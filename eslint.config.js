import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist/', '.data/', '.tap/', 'pages/types/'] }),
  {
    rules: {
      // A schema and the type of what it describes share a name.
      '@typescript-eslint/no-redeclare': 'off',
      '@stylistic/max-len': ['error', { code: 120 }],
    },
  },
  {
    files: ['**/*.ts'],
    rules: {
      '@stylistic/member-delimiter-style': ['error', {
        multiline: { delimiter: 'none' },
        singleline: { delimiter: 'comma' },
      }],
    },
  },
  // The type checker knows the names of the browser.
  { files: ['pages/**/*.js'], rules: { 'no-undef': 'off' } },
]
