import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Span,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/** The time that a collector has to accept the last spans when the service stops. */
const SHUTDOWN_TIMEOUT = 2_000

export interface TracedRequest { span: Span, context: Context }

/** OpenTelemetry. Its libraries read the `OTEL_…` variables themselves: endpoint, service name, sampling. */
export function createTraces () {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'gatehouse' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('gatehouse')
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()

  /** Work outside of a request, such as polling for jobs, has no span. */
  function beginStep (name: string, attributes: Attributes): Span | undefined {
    const parent = current.getStore()
    return parent && tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
  }

  const stopTracingRedis = traceRedis(beginStep)

  return {
    beginRequest (name: string, headers: IncomingHttpHeaders, attributes: Attributes): TracedRequest {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
      return { span, context: trace.setSpan(parent, span) }
    },

    /** Everything that `next` causes is part of the request. */
    within: ({ context }: TracedRequest, next: () => void) => current.run(context, next),

    endRequest ({ span }: TracedRequest, status: number) {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },

    async step<T> (name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
      const span = beginStep(name, attributes)
      try {
        return await work()
      } catch (error) {
        markFailed(span, error)
        throw error
      } finally {
        span?.end()
      }
    },

    /** Sends the pending spans. A collector that is down or slow does not delay the shutdown. */
    async close () {
      stopTracingRedis()
      await Promise.race([provider.shutdown(), sleep(SHUTDOWN_TIMEOUT, undefined, { ref: false })]).catch(() => {})
    },
  }
}

/** Only the kind of the error: its message may quote values. */
function markFailed (span: Span | undefined, error: unknown) {
  const { name, code } = error as NodeJS.ErrnoException
  span?.setAttribute('error.type', code ?? name).setStatus({ code: SpanStatusCode.ERROR })
}

interface RedisCommand { command: string, error?: unknown }

/** ioredis publishes its commands on a diagnostics channel. Keys are left out: they contain addresses and names. */
function traceRedis (beginStep: (name: string, attributes: Attributes) => Span | undefined): () => void {
  const spans = new WeakMap<object, Span>()
  const listeners = {
    start (message: object) {
      const { command } = message as RedisCommand
      const span = beginStep(command, { 'db.system.name': 'redis', 'db.operation.name': command })
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
