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
   * Starts a run, or resolves to the run started earlier by the same trigger. Throws as `check` does, and `conflict` if
   * another source has started the run with this id.
   */
  async start({ id, tenant, target, inputs, trigger }: TargetStart): Promise<Run> {
    const subject = await this.check(tenant, target, inputs);
    const startedBy = startedByOf(trigger);
    const run = await this.runs.start({ ...subject, id, tenant, startedBy, meta: { trigger } });
    const { trigger: found } = run.meta ?? {};
    if (run.kind === subject.kind && run.name === subject.name && isSameTrigger(found, trigger))
      // The caller's metadata can be forged, so the inputs are compared too.
      return trigger.kind === "schedule" && trigger.slot !== undefined
        ? sameRun(run, subject)
        : run;
    throw new EngineError(
      "conflict",
      `the run id ${id} is in use by a run that something else has started`,
    );
  }

  /** Returns the inputs needed by the target. Flows declare none. Fails with `not_found`. */
  async needs(tenant: string, target: RunTarget): Promise<readonly string[]> {
    return (await findSubject(this.#sources, tenant, target)).requiredInputs;
  }

  /**
   * Returns the subject of a run, with checked inputs. Fails with `not_found`, or with `invalid_input` and an issue for
   * each wrong input.
   */
  async check(
    tenant: string,
    target: RunTarget,
    inputs: JsonObject,
  ): Promise<ReturnType<Subject["start"]>> {
    const subject = await findSubject(this.#sources, tenant, target);
    return subject.start(withMessages(subject, inputs));
  }
}

/** Returns the name for `GET /runs?trigger=`. */
function startedByOf(trigger: RunTrigger): string {
  const { kind } = trigger;
  if (kind === "schedule") return `${kind}:${trigger.id}`;
  return kind === "hook" ? `${kind}:${trigger.name}` : `${kind}:${trigger.queue}`;
}

function isSameTrigger(found: JsonValue | undefined, trigger: RunTrigger): boolean {
  if (!isJsonObject(found)) return false;
  return Object.entries(trigger).every(([name, value]) => found[name] === value);
}

/** Makes the event's payload the message of a subject that takes messages, unless the inputs have one. */
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
