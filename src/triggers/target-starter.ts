// Starts what triggers name, checked as a kickoff over HTTP is.
import { DEFAULT_PROMPTS, fill } from "../agent/prompts.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { PartHost, Subject } from "../parts/part.ts";
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

  /** Starts a run, or answers the one that has its id. Throws as `check` does. */
  async start({ id, tenant, target, inputs, trigger }: TargetStart): Promise<Run> {
    const what = await this.check(tenant, target, inputs);
    return this.runs.start({ ...what, id, tenant, meta: { trigger } });
  }

  /** The inputs that the target needs; a flow declares none. Throws `not_found`. */
  async needs(tenant: string, target: RunTarget): Promise<readonly string[]> {
    return (await findSubject(this.#sources, tenant, target)).requiredInputs;
  }

  /** What the target is started with. Throws `not_found`, and `invalid_input` with an issue for each input that does not fit. */
  async check(
    tenant: string,
    target: RunTarget,
    inputs: JsonObject,
  ): Promise<ReturnType<Subject["start"]>> {
    const subject = await findSubject(this.#sources, tenant, target);
    return subject.start(withMessages(subject, inputs));
  }
}

/** A subject that takes messages is asked what that input says; without it, the event's payload becomes the message. */
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
