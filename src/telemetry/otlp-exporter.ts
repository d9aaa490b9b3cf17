// Sends the spans of runs to an OpenTelemetry collector, when an app asks for it. Has no other target.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { sleep } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { environmentVariables, systemClock } from "../base/system.ts";
import type { Listener, RestContext } from "../events/listener.ts";
import { toTraceRequest } from "./otlp-json.ts";
import { runSpans, type Span } from "./run-spans.ts";
import { traceparentOf } from "./trace-ids.ts";

/** Options of the export. */
export type OtlpExporterOptions = {
  /**
   * The base URL of an OTLP/HTTP receiver; `/v1/traces` is appended. @default the variable OTEL_EXPORTER_OTLP_ENDPOINT;
   * without it, no export
   */
  readonly endpoint?: string;
  /** Sent with each request. @default the variable OTEL_EXPORTER_OTLP_HEADERS: `key=value,…` */
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the service in the spans. @default the variable OTEL_SERVICE_NAME, otherwise "edgecrew" */
  readonly serviceName?: string;
  /** Adds prompts, answers, tool arguments and results, error texts. @default false */
  readonly captureContent?: boolean;
  /** Variables to read defaults from. @default the variables of the process at the time of the export */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

const MAX_SPANS_PER_REQUEST = 500;
const REQUEST_TIMEOUT_MS = 10_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
const RETRYABLE = new Set([429, 502, 503, 504]);

const OPTIONS = definitionOptions<OtlpExporterOptions>("otlpExporter()", {
  endpoint: true,
  headers: true,
  serviceName: true,
  captureContent: true,
  variables: true,
  fetch: true,
});

/**
 * Creates a listener that exports a run as spans each time the run rests: when it waits and when it ends. A failed
 * export is retried 3 times, then reported and skipped; the run is not affected.
 */
export function otlpExporter(options: OtlpExporterOptions = {}): Listener {
  refuseUnknownOptions(options, OPTIONS);
  if (options.endpoint !== undefined && !URL.canParse(options.endpoint))
    throw new EngineError(
      "invalid_definition",
      `otlpExporter: endpoint must be a URL such as http://localhost:4318, got "${options.endpoint}"`,
    );
  return {
    name: "otlp",
    types: new Set(),
    dependsOn: [],
    handle: () => undefined,
    atRest: (rest) => exportRun(rest, options),
    traceparent: (place) => (endpointOf(options) ? traceparentOf(place) : undefined),
  };
}

/** Returns the endpoint; undefined if the export is off. */
function endpointOf(options: OtlpExporterOptions): string | undefined {
  const variables = options.variables ?? environmentVariables();
  if (variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  return options.endpoint ?? (variables["OTEL_EXPORTER_OTLP_ENDPOINT"] || undefined);
}

async function exportRun(
  { history, restedSeq, signal, trace }: RestContext,
  options: OtlpExporterOptions,
): Promise<void> {
  const variables = options.variables ?? environmentVariables();
  const endpoint = endpointOf(options);
  if (endpoint === undefined) return;
  const spans = runSpans(history(), {
    afterSeq: restedSeq,
    captureContent: options.captureContent ?? false,
    trace: trace(),
  });
  const request = {
    url: endpoint.replace(/(\/v1\/traces)?\/*$/, "/v1/traces"),
    headers: options.headers ?? headersOf(variables["OTEL_EXPORTER_OTLP_HEADERS"]),
    fetch: options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init)),
    signal,
  };
  const serviceName = options.serviceName ?? variables["OTEL_SERVICE_NAME"] ?? "edgecrew";
  for (let start = 0; start < spans.length; start += MAX_SPANS_PER_REQUEST) {
    const batch: readonly Span[] = spans.slice(start, start + MAX_SPANS_PER_REQUEST);
    await send({ ...request, body: JSON.stringify(toTraceRequest(batch, serviceName)) });
  }
}

type Delivery = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly fetch: NonNullable<OtlpExporterOptions["fetch"]>;
};

async function send({ url, headers, body, signal, fetch: request }: Delivery): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    let failure: string;
    try {
      const response = await request(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return;
      failure = `it answered ${response.status}`;
      if (!RETRYABLE.has(response.status)) throw refused(url, failure);
      const retryAfterMs = Number(response.headers.get("retry-after")) * 1000;
      if (retryAfterMs > 0) pauseMs = Math.min(MAX_PAUSE_MS, retryAfterMs);
    } catch (error) {
      if (EngineError.is(error)) throw error;
      failure = errorMessage(error);
    }
    if (attempt === ATTEMPTS || signal.aborted) throw refused(url, failure);
    await sleep(systemClock, pauseMs, signal);
  }
}

function refused(url: string, failure: string): EngineError {
  return new EngineError("unavailable", `spans could not be sent to ${url}: ${failure}`);
}

/** `key=value,key=value`, values percent-encoded. */
function headersOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? "").split(",").flatMap((pair): Array<[string, string]> => {
    const cut = pair.indexOf("=");
    if (cut < 1) return [];
    return [[pair.slice(0, cut).trim(), decodeURIComponent(pair.slice(cut + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}
