import zxcvbn from 'zxcvbn'
import type { Strength } from './policy.ts'
import type { Rating } from './strength.ts'

export default function rate ({ password, words }: Rating): Strength {
  const { score, feedback: { suggestions, warning } } = zxcvbn(password, words)
  return { score, feedback: [...suggestions, warning].filter(Boolean) }
}
