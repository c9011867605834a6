import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Span } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/** So long a collector has, at the end, to take the last spans. */
const SHUTDOWN_TIMEOUT = 2_000

export interface Visit { span: Span, context: Context }

/** OpenTelemetry. Its own libraries read what the `OTEL_…` variables say: where to, who we are, how many. */
export function createTraces () {
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'gatehouse' })).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('gatehouse')
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()

  /** What no request asked for, such as a look for new mails, has no span. */
  function beginPart (name: string, attributes: Attributes): Span | undefined {
    const parent = current.getStore()
    return parent && tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
  }

  const stopTracingRedis = traceRedis(beginPart)

  return {
    beginVisit (name: string, headers: IncomingHttpHeaders, attributes: Attributes): Visit {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
      return { span, context: trace.setSpan(parent, span) }
    },

    /** What follows from `next` is part of the visit. */
    within: ({ context }: Visit, next: () => void) => current.run(context, next),

    endVisit ({ span }: Visit, status: number) {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },

    async part<T> (name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
      const span = beginPart(name, attributes)
      try {
        return await work()
      } catch (error) {
        markFailed(span, error)
        throw error
      } finally {
        span?.end()
      }
    },

    /** What is left is sent. A collector that is away, or slow, does not hold up the end. */
    async close () {
      stopTracingRedis()
      await Promise.race([provider.shutdown(), sleep(SHUTDOWN_TIMEOUT, undefined, { ref: false })]).catch(() => {})
    },
  }
}

/** Only what kind of error: its words may quote what somebody sent. */
function markFailed (span: Span | undefined, error: unknown) {
  const { name, code } = error as NodeJS.ErrnoException
  span?.setAttribute('error.type', code ?? name).setStatus({ code: SpanStatusCode.ERROR })
}

interface RedisCommand { command: string, error?: unknown }

/** The driver tells what it does by itself. Keys stay here: they hold addresses and names. */
function traceRedis (beginPart: (name: string, attributes: Attributes) => Span | undefined): () => void {
  const spans = new WeakMap<object, Span>()
  const listeners = {
    start (message: object) {
      const { command } = message as RedisCommand
      const span = beginPart(command, { 'db.system.name': 'redis', 'db.operation.name': command })
      if (span) spans.set(message, span)
    },
    asyncStart (message: object) {
      spans.get(message)?.end()
    },
    error (message: object) {
      markFailed(spans.get(message), (message as RedisCommand).error)
    },
    end () {},
    asyncEnd () {},
  }
  const commands = tracingChannel('ioredis:command')
  commands.subscribe(listeners)
  return () => { commands.unsubscribe(listeners) }
}
