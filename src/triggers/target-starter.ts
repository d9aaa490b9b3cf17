// Starts the targets of triggers, with the same checks as a kickoff over HTTP.
import { DEFAULT_PROMPTS, fill } from "../agent/prompts/prompts.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { invalidInput } from "../base/invalid-input.ts";
import type { PartHost, Subject } from "../parts/part.ts";
import { runOverrides } from "../parts/run-overrides.ts";
import { findSubject, subjectsOf } from "../parts/subjects.ts";
import { webhookTargets } from "../parts/webhook-targets.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import { beginStart } from "../starts/begin-start.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import { PAYLOAD_INPUT } from "./payload.ts";
import type { RunTarget, RunTrigger } from "./run-target.ts";

/** Target of a trigger, with the fields of its starts. */
type Target = { readonly target: RunTarget; readonly fields: TriggerFields };

export type TargetStart = Target & {
  readonly id: string;
  readonly tenant: string;
  readonly inputs: JsonObject;
  readonly trigger: RunTrigger;
};

export class TargetStarter {
  readonly runs: Pick<RunDirectory, "start" | "get">;
  readonly #host: PartHost;
  readonly #sources: Parameters<typeof findSubject>[0];

  constructor(host: PartHost) {
    this.runs = host.runs;
    this.#host = host;
    this.#sources = { subjects: subjectsOf(host.parts), definitions: host.definitions };
  }

  /**
   * Starts a run, or resolves to the run started earlier by the same trigger. Throws as `check` does, and `conflict` if
   * another source has started the run with this id.
   */
  async start({ id, tenant, target, inputs, fields, trigger }: TargetStart): Promise<Run> {
    const startedBy = startedByOf(trigger);
    const meta = { ...fields.meta, trigger };
    return beginStart(
      this.#host,
      { tenant, id, fields: { ...fields, meta } },
      {
        prepare: async () => {
          const subject = await this.#find(tenant, { target, fields });
          const whole = withMessages(subject, inputs);
          return { start: () => ({ ...subject.start(whole), startedBy }) };
        },
        answer: async ({ begin, same }) => {
          const run = await begin(undefined);
          const { trigger: found } = run.meta ?? {};
          if (run.kind === target.kind && run.name === target.name && isSameTrigger(found, trigger))
            // A caller's `meta` can be forged, so the inputs of a slot's run are compared, too.
            return trigger.kind === "schedule" && trigger.slot !== undefined ? same(run) : run;
          throw new EngineError(
            "conflict",
            `the run id ${id} is in use by a run that something else has started`,
          );
        },
      },
    );
  }

  /** Returns the inputs needed by the target. Flows declare none. Fails with `not_found`. */
  async needs(tenant: string, target: Target): Promise<readonly string[]> {
    return (await this.#find(tenant, target)).requiredInputs;
  }

  /**
   * Returns the subject of a run, with checked inputs. Fails with `not_found`, or with `invalid_input` and an issue for
   * each wrong input.
   */
  async check(
    tenant: string,
    target: Target,
    inputs: JsonObject,
  ): Promise<ReturnType<Subject["start"]>> {
    const subject = await this.#find(tenant, target);
    return subject.start(withMessages(subject, inputs));
  }

  /** Throws `invalid_input` for fields that a start would refuse. */
  async checkFields(tenant: string, fields: TriggerFields): Promise<void> {
    webhookTargets(fields.webhooks, this.#host);
    await runOverrides(fields, this.#host, tenant);
  }

  #find(tenant: string, { target: { kind, name }, fields: { version } }: Target): Promise<Subject> {
    const kinds = [...this.#sources.subjects.keys()];
    if (!kinds.includes(kind))
      throw invalidInput("there are no runs of this kind to start", [
        { path: "/target/kind", message: `expected one of ${kinds.join(", ")}, got "${kind}"` },
      ]);
    return findSubject(this.#sources, tenant, { kind, name, version });
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
