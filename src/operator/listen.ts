import type { FastifyInstance } from 'fastify'
import { reasonOf } from '../observability/error-reason.ts'
import { buildOperatorApp } from './app.ts'

/** Opens OPERATOR_PORT. The service must be ready. */
export async function listenForOperators (app: FastifyInstance): Promise<FastifyInstance> {
  const { OPERATOR_HOST: host, OPERATOR_PORT: port } = app.config
  const operator = buildOperatorApp(app)
  try {
    await operator.ready()
    const listening = operator.listen({ host, port, listenTextResolver: url => `Operators at ${url}/operator` })
    await listening.catch(error => {
      throw new Error(`Cannot listen on OPERATOR_PORT: ${reasonOf(error)}.`, { cause: error })
    })
    return operator
  } catch (error) {
    await operator.close()
    throw error
  }
}
