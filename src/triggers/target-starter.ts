// Starts the targets of triggers, with the same checks as a kickoff over HTTP.
import { DEFAULT_PROMPTS, fill } from "../agent/prompts/prompts.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { PartHost, Subject } from "../parts/part.ts";
import { sameRun } from "../parts/same-run.ts";
import { findSubject, subjectsOf } from "../parts/subjects.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import { PAYLOAD_INPUT } from "./payload.ts";
import type { RunTarget, RunTrigger } from "./run-target.ts";

export type TargetStart = {
  readonly id: string;
  readonly tenant: string;
  readonly target: RunTarget;
  readonly inputs: JsonObject;
  readonly trigger: RunTrigger;
};

export class TargetStarter {
  readonly runs: Pick<RunDirectory, "start" | "get">;
  readonly #sources: Parameters<typeof findSubject>[0];

  constructor({ runs, parts, definitions }: Pick<PartHost, "runs" | "parts" | "definitions">) {
    this.runs = runs;
    this.#sources = { subjects: subjectsOf(parts), definitions };
  }

  /**
   * Starts a run, or resolves to the run that this trigger has started before. Throws as `check` does, and `conflict` for the id of a
   * run that something else has started.
   */
  async start({ id, tenant, target, inputs, trigger }: TargetStart): Promise<Run> {
    const subject = await this.check(tenant, target, inputs);
    const startedBy = startedByOf(trigger);
    const run = await this.runs.start({ ...subject, id, tenant, startedBy, meta: { trigger } });
    const { trigger: found } = run.meta ?? {};
    if (run.kind === subject.kind && run.name === subject.name && isSameTrigger(found, trigger))
      // What a caller says of itself is no proof: a slot's run has the slot's inputs, too.
      return trigger.kind === "schedule" && trigger.slot !== undefined
        ? sameRun(run, subject)
        : run;
    throw new EngineError(
      "conflict",
      `the run id ${id} is in use by a run that something else has started`,
    );
  }

  /** The inputs that the target needs. Flows declare none. Throws `not_found`. */
  async needs(tenant: string, target: RunTarget): Promise<readonly string[]> {
    return (await findSubject(this.#sources, tenant, target)).requiredInputs;
  }

  /** What a run of the target starts with. Throws `not_found`, or `invalid_input` with an issue for each wrong input. */
  async check(
    tenant: string,
    target: RunTarget,
    inputs: JsonObject,
  ): Promise<ReturnType<Subject["start"]>> {
    const subject = await findSubject(this.#sources, tenant, target);
    return subject.start(withMessages(subject, inputs));
  }
}

/** As `GET /runs?trigger=` names it. */
function startedByOf(trigger: RunTrigger): string {
  const { kind } = trigger;
  if (kind === "schedule") return `${kind}:${trigger.id}`;
  return kind === "hook" ? `${kind}:${trigger.name}` : `${kind}:${trigger.queue}`;
}

function isSameTrigger(found: JsonValue | undefined, trigger: RunTrigger): boolean {
  if (!isJsonObject(found)) return false;
  return Object.entries(trigger).every(([name, value]) => found[name] === value);
}

/** For a subject that takes messages, the event's payload becomes the message if the inputs have none. */
function withMessages({ messagesInput }: Subject, inputs: JsonObject): JsonObject {
  if (messagesInput === undefined) return inputs;
  const { [PAYLOAD_INPUT]: payload, ...rest } = inputs;
  if (payload === undefined || rest[messagesInput] !== undefined) return rest;
  return { ...rest, [messagesInput]: messageOf(payload) };
}

function messageOf(payload: JsonValue): string {
  return fill(DEFAULT_PROMPTS.slices.triggerPayload, {
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}
