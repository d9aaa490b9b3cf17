/** Measurements of runs and model calls. */
import { D1Gauges } from "../cloudflare/stores/d1-gauges.ts";
import type { MetricPoint, MetricSink } from "../metrics/metric-point.ts";
import { metricsPart } from "../metrics/metrics-part.ts";
import type { Part, PartEnv } from "../parts/part.ts";

/** Finds the target of points among the Worker's bindings; undefined if it is not bound. */
export type MetricTarget = (env: PartEnv) => MetricSink | undefined;

/**
 * Gauges at `GET /metrics`, and, with a target, a point for each ended run and each of its model calls: `defineApp({
 * parts: [metrics(analyticsEngine("METRICS"))] })`.
 */
export function metrics(target: MetricTarget = () => undefined): Part {
  return metricsPart({ sink: target, gauges: ({ DB }) => new D1Gauges(DB) });
}

/** The data set of Workers Analytics Engine bound by this name. */
export function analyticsEngine(binding: string): MetricTarget {
  return (env) => {
    const found: unknown = Object.hasOwn(env, binding)
      ? (env as object as Readonly<Record<string, unknown>>)[binding]
      : undefined;
    const { writeDataPoint } = (found ?? {}) as { readonly writeDataPoint?: unknown };
    if (typeof writeDataPoint !== "function") return undefined;
    const dataSet = found as { writeDataPoint(point: MetricPoint): void };
    return { write: (point) => dataSet.writeDataPoint(point) };
  };
}

export type { MetricPoint, MetricSink } from "../metrics/metric-point.ts";
