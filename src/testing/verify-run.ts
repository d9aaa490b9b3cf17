// Checks if other code would continue a run that is under way, or hold it.
//
//   VFY1. The run's record is replayed as in its Durable Object. The first step that is new or was under way ends the
//         replay: the code goes on from there.
//   VFY2. The replay calls no model, no tool, no child and no address.
//   VFY3. A fault caused by the place of the replay is not a verdict: the result is "not known".
import { errorMessage, toErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import type { ChildPort } from "../events/child-port.ts";
import { EventLog, InMemoryEventStore } from "../events/event-log.ts";
import { RunScope } from "../events/run-scope.ts";
import { withServices } from "../events/run-services.ts";
import { InMemoryJournalStore } from "../journal/in-memory-journal-store.ts";
import { Journal } from "../journal/journal.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { changedInput } from "../journal/step-row.ts";
import type { DriveResult } from "../journal/step-spec.ts";
import { rowsOfExport, type ExportedRun } from "../runtime/export-run.ts";
import type { DrivePorts } from "../runtime/run-drive.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";

/** The Worker's ports for driving its runs. */
export type VerifyPorts = Pick<
  DrivePorts,
  "program" | "models" | "services" | "limits" | "onChange"
>;

/** Outcome of the code for a run. */
export type Verdict =
  | { readonly verdict: "goes on"; readonly changes: readonly string[] }
  | {
      readonly verdict: "held" | "failed";
      /** Key of the first misfitting step. */
      readonly step?: string;
      readonly message: string;
    }
  | { readonly verdict: "not known"; readonly message: string };

const PATIENCE_MS = 30_000;

/** A child that is not on record is a new step: the run goes on. */
const NEW_CHILDREN: ChildPort = {
  open: () => {
    throw new GoesOn();
  },
};

/** Replays a run that is under way over the code. Throws `invalid_input` for an invalid export. */
export async function verifyRun(exported: ExportedRun, ports: VerifyPorts): Promise<Verdict> {
  const rows = rowsOfExport(exported);
  const start = exported.start as RunStart;
  const { id, kind, name, inputs, context } = start;
  const { onChange = "continue" } = ports;
  const changes: string[] = [];
  let outside: string | undefined;
  const journal: Journal = new Journal({
    runId: id,
    store: new VerifiedRecord(rows),
    clock: systemClock,
    ...(ports.limits === undefined ? undefined : { limits: ports.limits }),
    observer: {
      changed: ({ key }) => {
        if (onChange === "continue") changes.push(key);
        else journal.hold(changedInput(key));
      },
    },
  });
  const stop = (why: string): Promise<never> => {
    outside ??= why;
    journal.stop();
    return new Promise(() => {});
  };
  const cancel = systemClock.after(PATIENCE_MS, () => void stop("its code took too long"));
  const network = globalThis.fetch;
  globalThis.fetch = (input) => stop(`its code calls ${addressOf(input)} outside of a step`);
  try {
    const result = await journal.drive(async (activity): Promise<JsonValue> => {
      let program: RunProgram;
      try {
        program = ports.program(start);
      } catch (error) {
        journal.hold({ error: toErrorRecord(error) });
        return null;
      }
      const offered = ports.services?.(start) ?? {};
      const outermost = new RunScope(
        {
          journal,
          events: new EventLog({ runId: id, store: new InMemoryEventStore(), clock: systemClock }),
          models: ports.models,
          services: context === undefined ? offered : withServices(offered, { context }),
          repeats: new Map(),
          children: NEW_CHILDREN,
        },
        { activity, path: "", parentEventId: undefined },
      );
      const scope = outermost.open("run_started", { kind, name, inputs });
      return scope.run(() => program.run(scope, inputs));
    });
    return verdictOf(result, { onChange, changes, outside });
  } finally {
    cancel();
    globalThis.fetch = network;
  }
}

function verdictOf(
  result: DriveResult,
  {
    onChange,
    changes,
    outside,
  }: {
    readonly onChange: string;
    readonly changes: readonly string[];
    readonly outside: string | undefined;
  },
): Verdict {
  if (outside !== undefined) return { verdict: "not known", message: outside };
  switch (result.state) {
    case "completed":
    case "parked":
      return { verdict: "goes on", changes };
    case "held": {
      const verdict = onChange === "fail" ? "failed" : "held";
      const step = result.key === undefined ? {} : { step: result.key };
      return { verdict, ...step, message: result.error.message };
    }
    case "failed":
      return { verdict: "not known", message: `here it fails: ${result.error.message}` };
    case "interrupted":
      if (result.cause instanceof GoesOn) return { verdict: "goes on", changes };
      return { verdict: "not known", message: errorMessage(result.cause) };
    default:
      return { verdict: "not known", message: "the replay was stopped" };
  }
}

/** Thrown when the record fits and the code is about to act. */
class GoesOn extends Error {}

/** The record of a run. A new step ends the replay, except readings and elapsed waits. */
class VerifiedRecord extends InMemoryJournalStore {
  constructor(rows: readonly StepRecord[]) {
    super();
    for (const row of rows) super.put(row);
  }

  override put(row: StepRecord): void {
    const isOver = row.kind === "wait" && this.get(row.key)?.kind === "wait";
    if (row.kind !== "value" && !isOver) throw new GoesOn();
    super.put(row);
  }
}

function addressOf(input: Request | string | URL): string {
  return input instanceof Request ? input.url : String(input);
}
