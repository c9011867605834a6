import { Type } from '@sinclair/typebox'
import { text } from '../kinds.ts'

/** The listener for operators. */
export const OPERATORS = {
  OPERATOR_PORT: Type.Optional(Type.Integer({
    minimum: 0,
    maximum: 65535,
    description: 'Port of the separate listener with the API for operators; without it there is none',
  })),
  OPERATOR_HOST: text(
    'Address of the listener for operators; choose one that clients cannot reach',
    { default: '127.0.0.1' }
  ),
  OPERATOR_URL: text(
    'URL at which the browsers of operators reach the listener, such as ' +
    '`https://operators.example.com`; without a path; by default `http://localhost:OPERATOR_PORT`',
    { default: '' }
  ),
}
