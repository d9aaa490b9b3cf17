// The kit's report, one event a line: which requests it made of which operation, and what it found wrong with the answers.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";

/** What a failed check is about. */
export type Kind =
  | "server error"
  | "unexpected status"
  | "answer that does not fit"
  | "invalid accepted"
  | "valid rejected"
  | "other";

/** One failed check. */
export type Found = {
  /** Method and path template, such as `POST /mcp`. */
  readonly operation: string;
  readonly kind: Kind;
  /** The kit's name of the check, and its title of the failure. */
  readonly check: string;
  readonly title: string;
  readonly message: string;
  readonly request: {
    readonly query: JsonObject;
    readonly headers: JsonObject;
    readonly body: JsonValue;
  };
  readonly status: number;
  /** The body of the answer, parsed where it is JSON. */
  readonly answer: JsonValue;
};

/** Counts of one phase of the run. */
export type PhaseFigures = {
  readonly requests: number;
  /** Failed checks, equal ones once. */
  readonly failures: number;
};

export type Report = {
  /** Every operation that was asked, in order, with what was found. */
  readonly byOperation: ReadonlyMap<string, readonly Found[]>;
  readonly phases: ReadonlyMap<string, PhaseFigures>;
  /** Operations that the kit could not test, with its reason. */
  readonly errors: ReadonlyArray<{ readonly operation: string; readonly message: string }>;
  /** False for a kit that was stopped or broke. */
  readonly isWhole: boolean;
};

/** The kit's name for a chain of requests of several operations. */
const CHAIN = "Stateful tests";

const KINDS: Readonly<Record<string, Kind>> = {
  not_a_server_error: "server error",
  status_code_conformance: "unexpected status",
  content_type_conformance: "answer that does not fit",
  response_headers_conformance: "answer that does not fit",
  response_schema_conformance: "answer that does not fit",
  negative_data_rejection: "invalid accepted",
  missing_required_header: "invalid accepted",
  positive_data_acceptance: "valid rejected",
};

/** Reads the reports of several runs as one. Equal failures of an operation are kept once. */
export async function readReports(files: readonly string[]): Promise<Report> {
  const byOperation = new Map<string, Found[]>();
  const phases = new Map<string, PhaseFigures>();
  const seen = new Set<string>();
  const errors: { operation: string; message: string }[] = [];
  let whole = 0;
  const foundIn = (operation: string): Found[] => {
    const found = byOperation.get(operation) ?? [];
    byOperation.set(operation, found);
    return found;
  };
  for await (const event of eventsOf(files)) {
    if (event["EngineFinished"] !== undefined) whole++;
    const error = objectIn(event, "NonFatalError");
    if (error["value"] !== undefined)
      errors.push({
        operation: textIn(error, "label"),
        message: textIn(objectIn(error, "value"), "message"),
      });
    const finished = objectIn(event, "ScenarioFinished");
    const recorder = objectIn(finished, "recorder");
    const label = textIn(recorder, "label");
    if (label === "") continue;
    if (label !== CHAIN) foundIn(label);
    let failures = 0;
    for (const found of failuresOf(recorder, label)) {
      const { operation, check, title, status, message } = found;
      const key = JSON.stringify([operation, check, title, status, message]);
      if (seen.has(key)) continue;
      seen.add(key);
      failures++;
      foundIn(operation).push(found);
    }
    const phase = textIn(finished, "phase");
    const known = phases.get(phase) ?? { requests: 0, failures: 0 };
    phases.set(phase, {
      requests: known.requests + Object.keys(objectIn(recorder, "interactions")).length,
      failures: known.failures + failures,
    });
  }
  return { byOperation, phases, errors, isWhole: whole === files.length };
}

async function* eventsOf(files: readonly string[]): AsyncGenerator<JsonObject> {
  for (const file of files)
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const event = parsed(line);
      if (isJsonObject(event)) yield event;
    }
}

function* failuresOf(recorder: JsonObject, label: string): Generator<Found> {
  const checks = objectIn(recorder, "checks");
  for (const [id, results] of Object.entries(checks)) {
    if (!Array.isArray(results)) continue;
    for (const result of results) {
      if (!isJsonObject(result) || result["status"] !== "failure") continue;
      const made = objectIn(objectIn(recorder, "cases"), id);
      const request = objectIn(made, "value");
      const response = objectIn(objectIn(objectIn(recorder, "interactions"), id), "response");
      const failure = objectIn(objectIn(result, "failure_info"), "failure");
      const check = textIn(result, "name");
      yield {
        operation: textIn(failure, "operation") || label,
        kind: KINDS[check] ?? "other",
        check,
        title: textIn(failure, "title"),
        message: textIn(failure, "message").slice(0, 600),
        request: {
          query: objectIn(request, "query"),
          headers: objectIn(request, "headers"),
          body: request["body"] ?? null,
        },
        status: typeof response["status_code"] === "number" ? response["status_code"] : 0,
        answer: answerOf(response["content"]),
      };
    }
  }
}

/** The body of an answer, which the report has in base64. */
function answerOf(content: JsonValue | undefined): JsonValue {
  const base64 = isJsonObject(content ?? null) ? (content as JsonObject)["$base64"] : undefined;
  if (typeof base64 !== "string") return content ?? null;
  const text = Buffer.from(base64, "base64").toString("utf8");
  return parsed(text) ?? text;
}

/** Undefined for what is no JSON, such as the last line of a run that was stopped. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function objectIn(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return value !== undefined && isJsonObject(value) ? value : {};
}

function textIn(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === "string" ? value : "";
}
