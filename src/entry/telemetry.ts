/** Telemetry: runs as OpenTelemetry spans, and as rows of a runtime log. */

/** Sends runs as spans to a collector. */
export { otlpExporter, type OtlpExporterOptions } from "../telemetry/otlp-exporter.ts";
/** Logs runs to the tables of AG2's runtime logging. */
export { runtimeLogging } from "../telemetry/runtime-log/runtime-logging.ts";
export { jsonLinesLog } from "../telemetry/runtime-log/json-lines-log.ts";
export {
  sqlLog,
  type LogDatabase,
  type LogStatement,
  type SqlExecute,
  type SqlStatement,
} from "../telemetry/runtime-log/sql-log.ts";
export type { LogRow, LogSink, LogTable, LogValue } from "../telemetry/runtime-log/log-row.ts";
