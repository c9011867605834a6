// Not imported by name: an import reads all exports of the module, and one of them loads the client for fetch.
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
