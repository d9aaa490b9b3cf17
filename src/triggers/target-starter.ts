// Starts what triggers name, checked as a kickoff over HTTP is.
import type { Agent } from "../agent/agent.ts";
import { DEFAULT_PROMPTS, fill } from "../agent/prompts.ts";
import { checkMessages } from "../agent/run-agent.ts";
import { EngineError, unreachable } from "../base/error.ts";
import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { findCrew, type CrewSources } from "../crew/find-crew.ts";
import { requireInputs } from "../crew/required-inputs.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { RunTarget, RunTrigger } from "../runtime/run-target.ts";
import type { Run, RunStart } from "../runtime/run.ts";
import { PAYLOAD_INPUT } from "./payload.ts";

/** What can be started. */
export type TargetSources = CrewSources & {
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly flows?: Readonly<Record<string, { checkKickoff(inputs: JsonObject): void }>>;
};

export type TargetStart = {
  readonly id: string;
  readonly tenant: string;
  readonly target: RunTarget;
  readonly inputs: JsonObject;
  readonly trigger: RunTrigger;
};

export class TargetStarter {
  readonly runs: Pick<RunDirectory, "start" | "get">;
  readonly #sources: TargetSources;

  constructor(runs: Pick<RunDirectory, "start" | "get">, sources: TargetSources) {
    this.runs = runs;
    this.#sources = sources;
  }

  /** Starts a run, or answers the one that has its id. Throws as `check` does. */
  async start({ id, tenant, target, inputs, trigger }: TargetStart): Promise<Run> {
    const what = await this.check(tenant, target, inputs);
    return this.runs.start({ ...what, id, tenant, meta: { trigger } });
  }

  /** The inputs that the target's texts need; a flow tells of none. Throws `not_found`. */
  async needs(tenant: string, { kind, name }: RunTarget): Promise<readonly string[]> {
    switch (kind) {
      case "crew":
        return (await findCrew(this.#sources, tenant, name)).crew.requiredInputs;
      case "flow":
        registered(this.#sources.flows, kind, name);
        return [];
      case "agent":
        return registered(this.#sources.agents, kind, name).placeholders;
      default:
        return unreachable(kind);
    }
  }

  /**
   * What the target is started with. Throws `not_found` for one that is not there, `invalid_input` with an issue for each
   * input that does not fit.
   */
  async check(
    tenant: string,
    { kind, name }: RunTarget,
    inputs: JsonObject,
  ): Promise<Pick<RunStart, "kind" | "name" | "inputs" | "definition">> {
    switch (kind) {
      case "crew": {
        const found = await findCrew(this.#sources, tenant, name);
        requireInputs({ names: found.crew.requiredInputs, of: "crew" }, inputs);
        if (found.source === "code") return { kind, name, inputs };
        return { kind, name, inputs, definition: found.definition as JsonValue };
      }
      case "flow":
        checkInputs(inputs);
        registered(this.#sources.flows, kind, name).checkKickoff(inputs);
        return { kind, name, inputs };
      case "agent": {
        const { placeholders } = registered(this.#sources.agents, kind, name);
        return { kind, name, inputs: agentRequest(inputs, placeholders) };
      }
      default:
        return unreachable(kind);
    }
  }
}

/** An agent is asked what the input `messages` says, else it is told of the event. The other inputs fill its texts. */
function agentRequest(given: JsonObject, placeholders: readonly string[]): JsonObject {
  const { messages: asked, [PAYLOAD_INPUT]: payload, ...inputs } = given;
  const told = payload === undefined || asked !== undefined ? asked : toldOf(payload);
  checkMessages(told);
  requireInputs({ names: placeholders, of: "agent" }, inputs);
  return { messages: told, inputs };
}

function toldOf(payload: JsonValue): string {
  return fill(DEFAULT_PROMPTS.slices.triggerPayload, {
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}

function registered<Value>(
  values: Readonly<Record<string, Value>> = {},
  kind: string,
  name: string,
): Value {
  const found = Object.hasOwn(values, name) ? values[name] : undefined;
  if (found === undefined) throw new EngineError("not_found", `there is no ${kind} "${name}"`);
  return found;
}
