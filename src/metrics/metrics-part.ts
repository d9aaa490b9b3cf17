import { operation } from "../parts/operation.ts";
import type { Part, PartEnv } from "../parts/part.ts";
import { PROMETHEUS_TYPE, prometheusText, type Gauges } from "./gauges.ts";
import { pointsOf, type MetricSink } from "./metric-point.ts";

export type MetricPorts = {
  /** Target of the points; undefined without the binding. */
  readonly sink: (env: PartEnv) => MetricSink | undefined;
  readonly gauges: (env: PartEnv) => Gauges;
};

export function metricsPart({ sink, gauges }: MetricPorts): Part {
  return {
    name: "metrics",
    docs: "metrics.md",
    migrations: ["0023_operations.sql"],
    runs: {
      ended: (env, run) => {
        const found = sink(env);
        if (found !== undefined) for (const point of pointsOf(run)) found.write(point);
      },
    },
    bind: ({ env, clock }) => ({
      operations: [
        operation({
          id: "getMetrics",
          group: "Service",
          method: "get",
          path: "/metrics",
          scope: "admin",
          operatorOnly: true,
          summary: "Gauges as Prometheus reads them",
          answers: { 200: { description: "Text, version 0.0.4", types: ["text/plain"] } },
          problems: [503],
          handle: async () => {
            const text = prometheusText(await gauges(env).read(clock.now()));
            const headers = { "content-type": PROMETHEUS_TYPE, "cache-control": "no-store" };
            return new Response(text, { headers });
          },
        }),
      ],
    }),
  };
}
