/** Telemetry: runs as OpenTelemetry spans. */

/** Sends runs as spans to a collector. */
export { otlpExporter, type OtlpExporterOptions } from "./telemetry/otlp-exporter.ts";
