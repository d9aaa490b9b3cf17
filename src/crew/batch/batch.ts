// A batch: one run of a crew for each of many inputs. docs/design/fan-out.md has the rules.
import { mapAtMost } from "../../base/concurrency.ts";
import {
  errorMessage,
  EngineError,
  toErrorRecord,
  type ErrorRecord,
  type Issue,
} from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import { pointerOf } from "../../base/json-pointer.ts";
import type { ChildAnswers, ChildRequest } from "../../events/child-port.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ChildReport } from "../../runtime/children/child-run.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { RunnableCrew } from "../runnable-crew.ts";
import { startInputs, type StartedCrew } from "../start-inputs.ts";
import { runCrew } from "../run-crew.ts";

/** Maximum number of inputs in one batch. */
const MAX_BATCH_INPUTS = 1000;

/** Maximum length of all outputs in a batch, as JSON text in UTF-16 units. */
const MAX_OUTPUTS_LENGTH = 8 * 1024 * 1024;

/** Maximum number of concurrent items without child runs. */
const CONCURRENT_ITEMS = 5;

/** The outcome of one input. */
export type BatchItem = {
  /** Place among the inputs, from 0. */
  readonly index: number;
  readonly status: ChildReport["status"];
  /** Run of the item; absent if the whole batch ran in one process. */
  readonly runId?: string;
  readonly output?: { readonly raw: string; readonly object?: JsonValue };
  /** Set if the output is too long for the batch; read it from the run. */
  readonly omitted?: true;
  readonly error?: ErrorRecord;
};

/** The output of a batch: an item for each input, in their order. */
export type BatchOutput = { readonly items: readonly BatchItem[]; readonly usage: Usage };

/** The input of a batch. */
export type BatchInputs = { readonly inputs: readonly JsonObject[]; readonly timeoutMs?: number };

/** Returns a batch's program for a host. `name` is the crew's name in the deployment. */
export function batchProgram(name: string, crew: RunnableCrew): RunProgram<BatchOutput> {
  return {
    run: async (scope, input) => {
      const batch = input as BatchInputs;
      const output = scope.hasChildren
        ? await runAsChildren(scope, name, batch)
        : await runInside(scope, crew, batch);
      return output;
    },
    tasks: [],
  };
}

async function runAsChildren(
  scope: RunScope,
  name: string,
  { inputs, timeoutMs }: BatchInputs,
): Promise<BatchOutput> {
  const dueAtMs = timeoutMs === undefined ? undefined : scope.now() + timeoutMs;
  const maxOutputLength = Math.floor(MAX_OUTPUTS_LENGTH / Math.max(1, inputs.length));
  const requests = inputs.map((each, index): ChildRequest => ({
    at: [`item:${index}`],
    answer: "report",
    join: "items",
    start: () => ({ kind: "crew", name, inputs: each }),
    maxOutputLength,
    dueAtMs,
  }));
  let usage = NO_USAGE;
  const items = await Promise.all(
    scope.children<JsonValue>(requests).map(async (child, index): Promise<BatchItem> => {
      const report = await reportOf(child);
      usage = addUsage(usage, report.usage);
      return itemOf(index, report);
    }),
  );
  return { items, usage };
}

async function reportOf({
  runId,
  answers: [answer],
}: ChildAnswers<JsonValue>): Promise<ChildReport> {
  try {
    return (await answer) as ChildReport;
  } catch (error) {
    return { runId, status: "failed", error: toErrorRecord(error), usage: NO_USAGE };
  }
}

function itemOf(index: number, { runId, status, output, omitted, error }: ChildReport): BatchItem {
  return {
    index,
    status,
    runId,
    ...(output === undefined ? undefined : { output: shortOutput(output) }),
    ...(omitted && { omitted }),
    ...(error && { error }),
  };
}

/** Returns the output without those of single tasks, which the run has. */
function shortOutput(output: JsonValue): NonNullable<BatchItem["output"]> {
  const { raw, object } = output as { raw: string; object?: JsonValue };
  return { raw, ...(object === undefined ? undefined : { object }) };
}

/** Runs all items in this run, some at once. */
async function runInside(
  scope: RunScope,
  crew: RunnableCrew,
  { inputs }: BatchInputs,
): Promise<BatchOutput> {
  let usage = NO_USAGE;
  const items = await mapAtMost(
    inputs,
    CONCURRENT_ITEMS,
    async (each, index): Promise<BatchItem> => {
      try {
        const record = await scope
          .at(`item:${index}`)
          .group("group", (place) => runCrew(place, crew, each));
        usage = addUsage(usage, record.usage);
        const output = shortOutput(record);
        return { index, status: "completed", output };
      } catch (error) {
        return { index, status: "failed", error: toErrorRecord(error) };
      }
    },
  );
  return { items, usage };
}

/**
 * Checks the inputs of a batch and returns the start inputs of its runs. Throws `invalid_input` or `limit_exceeded`
 * with an issue for each faulty input, such as `/inputs/3/topic`.
 */
export function checkBatch(
  inputs: unknown,
  {
    crew,
    maxInputs = MAX_BATCH_INPUTS,
    inputsOf = startInputs,
  }: {
    readonly crew: StartedCrew;
    readonly maxInputs?: number | undefined;
    /** Inputs of one run. @default startInputs */
    readonly inputsOf?: typeof startInputs;
  },
): readonly JsonObject[] {
  const count = Array.isArray(inputs) ? inputs.length : 0;
  if (!Array.isArray(inputs)) {
    const message = "expected a list of objects";
    throw new EngineError("invalid_input", `inputs: ${message}`, {
      issues: [{ path: "/inputs", message }],
    });
  }
  if (count > maxInputs) {
    const message = `expected at most ${maxInputs} inputs, got ${count}`;
    throw new EngineError("limit_exceeded", message, { issues: [{ path: "/inputs", message }] });
  }
  const read = inputs.map((each: unknown, index) =>
    heldOrIssues(each, index, (own) => inputsOf(crew, own)),
  );
  const issues = read.flatMap((each) => each.issues ?? []);
  const [first] = issues;
  if (first === undefined) return read.map(({ held = {} }) => held);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw new EngineError("invalid_input", `${first.path} ${first.message}${more}`, { issues });
}

function heldOrIssues(
  inputs: unknown,
  index: number,
  hold: (inputs: JsonObject) => JsonObject,
): { readonly held?: JsonObject; readonly issues?: readonly Issue[] } {
  const root = pointerOf(["inputs", index]);
  try {
    return { held: hold(inputs as JsonObject) };
  } catch (error) {
    if (EngineError.is(error) && error.code !== "invalid_input") throw error;
    const own = EngineError.is(error) ? (error.issues ?? []) : [];
    if (own.length === 0) return { issues: [{ path: root, message: errorMessage(error) }] };
    return {
      issues: own.map(({ path, message }) => ({ path: path.replace(/^\/inputs/, root), message })),
    };
  }
}
