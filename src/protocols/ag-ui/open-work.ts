// Open work of a run, as steps and subagents.
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { subagentIdOf, toolCallIdOf } from "./ids.ts";
import type { AgUiEvent } from "./wire.ts";

/** Subagent of an event, if there is one. */
export type Owner = { readonly subagentRunId?: string };

type Step = {
  readonly path: string;
  readonly kind: StepKind;
  readonly name: string;
  readonly owner: Owner;
};
/** An agent without a crew is `alone` as a whole, and `agent` for each execution of its task. */
export type StepKind = "task" | "method" | "alone" | "agent";
type Subagent = {
  readonly path: string;
  readonly kind: StepKind;
  readonly id: string;
  readonly name: string;
  readonly toolPath: string;
};
/** Work begun at a place. */
export type Opened = { readonly path: string; readonly kind: StepKind; readonly name: string };

export class OpenWork {
  readonly #runId: string;
  #steps: Step[] = [];
  #subagents: Subagent[] = [];
  /** Agents without a crew. */
  #alone: Opened[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Begins all open work again. */
  again(): readonly AgUiEvent[] {
    const steps = this.#steps.map(({ name, owner }): AgUiEvent => ({
      type: "STEP_STARTED",
      stepName: name,
      ...owner,
    }));
    return [...this.#subagents.map((subagent) => this.#started(subagent)), ...steps];
  }

  /** Returns the innermost subagent of this place. */
  ownerOf(path: string): Owner {
    const owner = this.#subagents.findLast((each) => isBelow(path, each.path));
    return owner === undefined ? {} : { subagentRunId: owner.id };
  }

  /** Returns the events for an event of a task, a method or an agent; undefined for others. `calls` are the open tool calls. */
  read(event: RunEvent | LiveEvent, calls: Iterable<string>): readonly AgUiEvent[] | undefined {
    const { path } = event;
    switch (event.type) {
      case "task_started":
        return this.#openStep({ path, kind: "task", name: event.taskName });
      case "method_execution_started":
        return this.#openStep({ path, kind: "method", name: event.methodName });
      case "agent_execution_started":
        return this.#openAgent({ path, kind: "agent", name: event.agentRole }, calls);
      case "lite_agent_execution_started": {
        const { role } = event.agentInfo;
        return this.#openAgent(
          { path, kind: "alone", name: typeof role === "string" ? role : "" },
          calls,
        );
      }
      case "task_completed":
      case "task_failed":
        return this.#closeStep({ path, kind: "task" });
      case "method_execution_finished":
      case "method_execution_failed":
        return this.#closeStep({ path, kind: "method" });
      case "agent_execution_completed":
        return this.#closeAgent({ path, kind: "agent" }, { result: event.output });
      case "lite_agent_execution_completed":
        return this.#closeAgent({ path, kind: "alone" }, { result: event.output });
      case "agent_execution_error":
        return this.#closeAgent({ path, kind: "agent" }, { error: event.error });
      case "lite_agent_execution_error":
        return this.#closeAgent({ path, kind: "alone" }, { error: event.error });
      default:
        return undefined;
    }
  }

  #openStep({ path, kind, name: of }: Opened): readonly AgUiEvent[] {
    const owner = this.ownerOf(path);
    const names = new Set(
      this.#steps
        .filter((step) => step.owner.subagentRunId === owner.subagentRunId)
        .map((step) => step.name),
    );
    const wanted = `${kind === "alone" ? "agent" : kind}:${of}`;
    let name = wanted;
    for (let n = 2; names.has(name); n++) name = `${wanted} (${n})`;
    this.#steps.push({ path, kind, name, owner });
    return [{ type: "STEP_STARTED", stepName: name, ...owner }];
  }

  #closeStep({ path, kind }: Omit<Opened, "name">): readonly AgUiEvent[] {
    const step = this.#steps.findLast((each) => each.path === path && each.kind === kind);
    if (step === undefined) return [];
    this.#steps = this.#steps.filter((each) => each !== step);
    return [{ type: "STEP_FINISHED", stepName: step.name, ...step.owner }];
  }

  /** Begins an agent; inside of one of these tool calls it is a subagent. */
  #openAgent(opened: Opened, calls: Iterable<string>): readonly AgUiEvent[] {
    const { path, kind, name } = opened;
    const isIn = (outer: Opened): boolean =>
      outer.kind === "alone" && (path === outer.path || isBelow(path, outer.path));
    if (kind === "agent" && this.#alone.some((outer) => isIn(outer) && outer.name === name))
      return [];
    if (kind === "alone") this.#alone.push(opened);
    const call = [...calls]
      .filter((each) => isBelow(path, each))
      .toSorted((a, b) => b.length - a.length)[0];
    if (call === undefined) return this.#openStep(opened);
    const id = subagentIdOf(this.#runId, path);
    const subagent = { path, kind, id, name, toolPath: call };
    const started = this.#started(subagent);
    this.#subagents.push(subagent);
    return [started];
  }

  #started({ path, id, name, toolPath }: Subagent): AgUiEvent {
    const parent = this.#subagents.findLast((each) => each.id !== id && isBelow(path, each.path));
    return {
      type: "SUBAGENT_STARTED",
      subagentRunId: id,
      name,
      parentToolCallId: toolCallIdOf(this.#runId, toolPath),
      ...(parent === undefined ? undefined : { parentSubagentRunId: parent.id }),
    };
  }

  #closeAgent(
    { path, kind }: Omit<Opened, "name">,
    ended: { readonly result: string } | { readonly error: string },
  ): readonly AgUiEvent[] {
    this.#alone = this.#alone.filter((each) => each.path !== path || kind !== "alone");
    const subagent = this.#subagents.find((each) => each.path === path && each.kind === kind);
    if (subagent === undefined) return this.#closeStep({ path, kind });
    const inside = this.#steps.filter(({ owner }) => owner.subagentRunId === subagent.id);
    const steps = inside.toReversed().flatMap((step) => this.#closeStep(step));
    this.#subagents = this.#subagents.filter((each) => each !== subagent);
    const subagentRunId = subagent.id;
    return "error" in ended
      ? [...steps, { type: "SUBAGENT_ERROR", subagentRunId, message: ended.error }]
      : [
          ...steps,
          {
            type: "SUBAGENT_FINISHED",
            subagentRunId,
            outcome: { type: "success" },
            result: ended.result,
          },
        ];
  }

  /** Ends all open work, the latest first. */
  close(how: "success" | "suspended" | "failed"): readonly AgUiEvent[] {
    const steps = this.#steps
      .toReversed()
      .map(({ name, owner }): AgUiEvent => ({ type: "STEP_FINISHED", stepName: name, ...owner }));
    const subagents = this.#subagents.toReversed().map(({ id: subagentRunId }): AgUiEvent => {
      if (how === "failed")
        return { type: "SUBAGENT_ERROR", subagentRunId, message: "The run has failed." };
      return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: how } };
    });
    this.#steps = [];
    this.#subagents = [];
    return [...steps, ...subagents];
  }
}

function isBelow(path: string, outer: string): boolean {
  return outer === "" ? path !== "" : path.startsWith(`${outer}/`);
}
