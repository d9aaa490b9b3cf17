/** A present value. */
export type Gauge = {
  readonly name: string;
  readonly about: string;
  readonly values: ReadonlyArray<{
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }>;
};

export interface Gauges {
  read(nowMs: number): Promise<readonly Gauge[]>;
}

// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function prometheusText(gauges: readonly Gauge[]): string {
  return gauges
    .flatMap(({ name, about, values }) => [
      `# HELP ${name} ${about}`,
      `# TYPE ${name} gauge`,
      ...values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
