// OTLP/HTTP with JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
import type { Attributes, AttributeValue, Span } from "./run-spans.ts";

const SPAN_KIND = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

/** Returns the body of an export of spans. */
export function toTraceRequest(spans: readonly Span[], serviceName: string): object {
  const resource = { attributes: toAttributes({ "service.name": serviceName }) };
  const scope = { name: "edgecrew" };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(toSpan) }] }] };
}

function toSpan(span: Span): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, failed, failure } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? undefined : { parentSpanId }),
    name,
    kind: SPAN_KIND[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: toAttributes(span.attributes),
    events: span.events.map((event) => ({
      name: event.name,
      timeUnixNano: nanos(event.atMs),
      attributes: toAttributes(event.attributes),
    })),
    links: span.links,
    status: failed
      ? { code: STATUS_ERROR, ...(failure === undefined ? undefined : { message: failure }) }
      : {},
  };
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map(toValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Returns nanoseconds as text, like all 64-bit integers in OTLP's JSON. */
function nanos(atMs: number): string {
  return `${atMs}000000`;
}
