// Replay of another run of a flow from a point in it, in this process.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { servicesHere } from "../hooks/scoped-services.ts";
import { checkForkInputs } from "../runtime/fork.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { ForkPoint } from "../runtime/run-directory.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { FlowRecord } from "./run-flow.ts";

/** A place in another run, of this process. */
export type FlowCheckpoint = {
  readonly run: RunHandle;
  /** The id of a checkpoint. @default the newest */
  readonly checkpoint?: string;
};

/** Point to continue a run from: the first method to run again, or the last checkpoint to copy. */
export type FlowReplay = {
  /** A method, by its name; its first execution, or the one of a step key such as `method:draft~2`. */
  readonly fromMethod?: string;
  /** The id of a checkpoint. @default the newest */
  readonly fromCheckpoint?: string;
  /** Replace the other run's. */
  readonly inputs?: JsonObject | undefined;
};

type ReplayedFlow = { readonly name: string; program(entry?: JsonObject): RunProgram<FlowRecord> };

export async function replayFlow(
  flow: ReplayedFlow,
  run: RunHandle,
  { fromMethod, fromCheckpoint, inputs, ...options }: FlowReplay & LocalRunOptions,
): Promise<LocalRun<FlowRecord>> {
  if (!(run instanceof LocalRun))
    throw new EngineError(
      "invalid_input",
      `only a run of this process can be continued here: for run ${run.id}, call its Worker (POST /runs/${run.id}/fork)`,
    );
  const point: ForkPoint =
    fromMethod === undefined
      ? { fromCheckpoint: fromCheckpoint ?? (await newestCheckpoint(run)) }
      : { fromTask: fromMethod };
  const record = await run.recordBefore(point);
  const { start, origin, rows } = record;
  if (start.kind !== "flow" || start.name !== flow.name)
    throw new EngineError(
      "invalid_input",
      `run ${run.id} is a run of ${start.kind} "${start.name}", so flow "${flow.name}" cannot continue it`,
    );
  checkForkInputs(record, inputs);
  const { entry } = start;
  const again = {
    kind: start.kind,
    name: start.name,
    inputs: inputs ?? start.inputs,
    origin,
    ...(entry === undefined ? undefined : { entry }),
    ...(start.trace === undefined ? undefined : { trace: start.trace }),
  };
  const services = servicesHere(options.services ?? run.options.services ?? {});
  const local = { ...run.options, ...options, services, adopt: rows };
  return new LocalRun(again, flow.program(entry), local);
}

async function newestCheckpoint(run: LocalRun): Promise<string> {
  const newest = (await run.checkpoints()).at(-1);
  if (newest !== undefined) return newest.id;
  throw new EngineError("not_found", `run ${run.id} has no checkpoint yet`);
}
