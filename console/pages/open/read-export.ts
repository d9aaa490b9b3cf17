// Reads the file of an exported run as far as possible.
import type { RunEvent } from "../../../src/events/run-event.ts";
import type { ExportedStep } from "../../../src/runtime/export-run.ts";
import type { RunView } from "../../api-types.ts";
import { plural } from "../../parts/format.ts";
import { mendJson } from "./mend-json.ts";

export type OpenedRun = {
  readonly run: RunView;
  readonly steps: readonly ExportedStep[];
  readonly events: readonly RunEvent[];
  readonly exportedAt?: string;
  /** Notes for the reader about missing data and its reasons. */
  readonly notes: readonly string[];
};

/** Newest supported version of the format. */
const NEWEST = 1;
const FORMAT = /^edgecrew\.run\/(\d+)$/;
const STATUSES = new Set(["queued", "running", "waiting", "completed", "failed", "cancelled"]);
const STEP_STATES = new Set(["started", "waiting", "done", "error"]);
const NO_USAGE = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  requests: 0,
  costUsd: 0,
} as const;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws a readable error for a text that is no export of a run, and for one that ends too early. */
export function readExport(text: string): OpenedRun {
  const notes: string[] = [];
  const exported = parsed(text, notes);
  const version = FORMAT.exec(String(exported["format"]))?.[1];
  if (version === undefined)
    throw new Error(
      `This is no export of a run: its format should be edgecrew.run/${NEWEST}, and is ${shown(exported["format"])}.`,
    );
  if (Number(version) > NEWEST)
    notes.push(
      `This file has the format edgecrew.run/${version}, which is newer than this console (edgecrew.run/${NEWEST}). Known parts are shown.`,
    );
  if (exported["redacted"] === true)
    notes.push("Texts in this file were replaced by their lengths when it was exported.");
  if (exported["withoutValues"] === true)
    notes.push("This file was exported without the results of its steps.");
  const run = readRun(exported);
  const steps = readList(exported["steps"], isStep);
  const events = readEvents(exported["events"]);
  const isCut = notes.length > 0 && exported["events"] === undefined;
  if (steps.dropped > 0) notes.push(`${plural(steps.dropped, "step")} could not be read.`);
  if (events.dropped > 0) notes.push(`${plural(events.dropped, "event")} could not be read.`);
  if (isCut) notes.push("The file has no events.");
  const { exportedAt } = exported;
  return {
    run,
    steps: steps.items.map(wholeStep),
    events: events.items,
    notes,
    ...(isTime(exportedAt) ? { exportedAt } : undefined),
  };
}

/**
 * Reads an export in lines (NDJSON): a header, then its steps and events, then their number. Undefined for anything
 * else. Keeps all lines before an unreadable one.
 */
function readLines(text: string, notes: string[]): Fields | undefined {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const head = fieldsOf(first);
  if (head === undefined || !("format" in head) || rest.length === 0) return undefined;
  const steps: unknown[] = [];
  const events: unknown[] = [];
  let isWhole = false;
  for (const line of rest) {
    const fields = fieldsOf(line);
    if (fields === undefined) break;
    if ("step" in fields) steps.push(fields["step"]);
    else if ("event" in fields) events.push(fields["event"]);
    else if ("end" in fields) isWhole = true;
  }
  if (!isWhole) notes.push("This file is cut or damaged: its end is missing. The rest is shown.");
  return { ...head, steps, events };
}

function fieldsOf(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string, notes: string[]): Fields {
  const inLines = readLines(text, notes);
  if (inLines !== undefined) return inLines;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const mended = mendJson(text);
    if (mended === undefined) throw new Error("This file is no JSON.", { cause: error });
    value = JSON.parse(mended);
    notes.push(
      "This file is cut or damaged: its JSON is incomplete. The part before the damage is shown.",
    );
  }
  if (isFields(value)) return value;
  throw new Error(`This is no export of a run: it holds ${shown(value)}.`);
}

function readRun({ run, exportedAt }: Fields): RunView {
  if (!isFields(run) || typeof run["id"] !== "string")
    throw new Error("The file ends before it names its run. It cannot be shown.");
  const status = String(run["status"]);
  return {
    kind: "run",
    ...run,
    id: run["id"],
    name: typeof run["name"] === "string" ? run["name"] : "Run",
    status: STATUSES.has(status) ? status : "cancelled",
    inputs: isFields(run["inputs"]) ? run["inputs"] : {},
    usage: { ...NO_USAGE, ...(isFields(run["usage"]) ? run["usage"] : undefined) },
    usageBy: undefined, // the steps have it
    waits: Array.isArray(run["waits"]) ? run["waits"] : [],
    createdAt: [run["createdAt"], exportedAt].find(isTime) ?? new Date(0).toISOString(),
  } as unknown as RunView;
}

function readList<Item>(
  value: unknown,
  isGood: (item: unknown) => item is Item,
): { readonly items: readonly Item[]; readonly dropped: number } {
  const all = Array.isArray(value) ? value : [];
  const items = all.filter(isGood);
  return { items, dropped: all.length - items.length };
}

/** Events are numbered from 1 without gaps, so events after an unreadable one are dropped. */
function readEvents(value: unknown): {
  readonly items: readonly RunEvent[];
  readonly dropped: number;
} {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const end = all.findIndex((event, index) => !isEvent(event) || event.seq !== index + 1);
  const items = all.slice(0, end === -1 ? all.length : end).filter(isEvent);
  return { items, dropped: all.length - items.length };
}

function isStep(value: unknown): value is ExportedStep {
  return (
    isFields(value) &&
    typeof value["key"] === "string" &&
    value["key"] !== "" &&
    typeof value["kind"] === "string" &&
    STEP_STATES.has(String(value["state"])) &&
    typeof value["startedAtMs"] === "number" &&
    typeof value["startedSeq"] === "number"
  );
}

/** Fills in the fields that a newer or a cut file leaves out. */
function wholeStep(step: ExportedStep): ExportedStep {
  const none = {
    attempt: 1,
    endedSeq: null,
    endedAtMs: null,
    error: null,
    wait: null,
    bytes: 0,
  };
  return { ...none, ...step };
}

function isEvent(value: unknown): value is RunEvent {
  return isFields(value) && typeof value["seq"] === "number" && typeof value["type"] === "string";
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function shown(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)} …` : text;
}
