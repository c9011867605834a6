import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import SerializerSelector, { type RouteDefinition, type Serializer } from '@fastify/fast-json-stringify-compiler'

type CompileValidator = ReturnType<BuildCompilerFromPool>
type Validator = ReturnType<CompileValidator>

const buildValidator = AjvCompiler()
const compileSerializer = SerializerSelector()()
/** By the function that compiles, which is the same for all servers with the same options. */
const validators = new WeakMap<object, WeakMap<object, Validator>>()
const serializers = new WeakMap<object, Serializer>()

/** The types of the packages say less than Fastify passes. */
const schemaOf = (route: unknown) => (route as { schema: object }).schema

/** What `make` returns for the key, made when it is first asked for. */
function remembered<Value extends object> (known: WeakMap<object, Value>, key: object, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

/** Compiles with its first call. Fastify reads `errors` of the function that it called. */
function lateValidator (compile: () => Validator): Validator {
  let compiled: Validator | undefined
  const validate = (data: unknown) => {
    compiled ??= compile()
    const isValid = compiled(data)
    validate.errors = compiled.errors
    return isValid
  }
  validate.errors = undefined as Validator['errors']
  return validate as Validator
}

function lateSerializer (compile: () => Serializer): Serializer {
  let compiled: Serializer | undefined
  return data => (compiled ??= compile())(data)
}

/**
 * Fastify would compile a schema when a route is registered, and again for each route, status and server that uses it.
 * Here, each schema is compiled once, by the first request that needs it: to compile all takes a fifth of the start.
 */
export const schemaCompilers = {
  buildValidator: (...options: Parameters<BuildCompilerFromPool>): CompileValidator => {
    const compile = buildValidator(...options)
    const known = remembered(validators, compile, () => new WeakMap())
    return route => remembered(known, schemaOf(route), () => lateValidator(() => compile(route)))
  },
  buildSerializer: () => (route: RouteDefinition): Serializer =>
    remembered(serializers, schemaOf(route), () => lateSerializer(() => compileSerializer(route))),
}
