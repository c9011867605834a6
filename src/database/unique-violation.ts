/** Whether another row has the value, by the code of PostgreSQL. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown }).code === '23505'
