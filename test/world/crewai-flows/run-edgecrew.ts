// Our side: builds a program with the public API of flows, and runs it.
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { EngineError, errorMessage } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import {
  and,
  defineFlow,
  InMemoryFlowStore,
  or,
  type BuiltFlow,
  type Condition,
  type FlowContext,
  type FlowMethod,
} from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import type {
  FlowProgram,
  Kickoff,
  Method,
  Mode,
  Outcome,
  Result,
  Trigger,
} from "./flow-program.ts";

type State = Record<string, JsonValue>;

/** More executions than this are a loop without end. */
const MAX_EXECUTIONS = 150;
/** Odd results of routers, which CrewAI need not be told of. */
const ODD_LABELS = ["stop", "True", "False", "true", "false", "7"];

export type Timing = { readonly quantumMs: number };

export async function runOnEdgecrew(
  program: FlowProgram,
  mode: Mode,
  timing: Timing,
): Promise<Result> {
  const execution = new Execution(program, timing);
  let flow: BuiltFlow<State>;
  try {
    flow = execution.flow(mode);
  } catch (error) {
    return { id: program.id, refused: errorMessage(error), kickoffs: [] };
  }
  const kickoffs: Outcome[] = [];
  for (const kickoff of program.kickoffs) kickoffs.push(await execution.kickoff(flow, kickoff));
  return { id: program.id, kickoffs };
}

class Execution {
  readonly #program: FlowProgram;
  readonly #quantumMs: number;
  readonly #store = new InMemoryFlowStore();
  #ran: [string, unknown?][] = [];
  #counts = new Map<string, number>();

  constructor(program: FlowProgram, { quantumMs }: Timing) {
    this.#program = program;
    this.#quantumMs = quantumMs;
  }

  flow(mode: Mode): BuiltFlow<State> {
    const { id, methods, model, maxMethodCalls, persist } = this.#program;
    const options = {
      name: id,
      methods: Object.fromEntries(methods.map((method) => [method.name, this.#method(method)])),
      ...(mode === "compat" ? { compat: "crewai" as const } : {}),
      ...(maxMethodCalls === undefined ? {} : { maxMethodCalls }),
      ...(persist === "class" ? { persist: true, persistence: this.#store } : {}),
    };
    if (model !== true) return defineFlow({ ...options, initial: { n: 0, text: "", log: [] } });
    const state: z.ZodType<State> = z.object({
      n: z.number().int().default(0),
      text: z.string().default(""),
      log: z.array(z.string()).default([]),
    });
    return defineFlow({ ...options, state });
  }

  async kickoff(flow: BuiltFlow<State>, { inputs, restore }: Kickoff): Promise<Outcome> {
    this.#ran = [];
    this.#counts = new Map();
    let end: Omit<Outcome, "ran">;
    try {
      const services = this.#program.persist === "method" ? { flowStates: this.#store } : {};
      const options = {
        inputs,
        services,
        ...(restore === undefined ? {} : { restoreFromStateId: restore }),
      };
      const output = await this.#answered(flow, options);
      const { id, ...rest } = output.state as { id: string };
      end = {
        status: "completed",
        value: shown(output.value),
        state: { ...rest, id: id === "A" || id === "B" ? id : "fresh" },
      };
    } catch (error) {
      end = { status: "failed", message: errorMessage(error).slice(0, 160) };
      await wait(this.#quantumMs * 12); // methods under way go on
    }
    return { ...end, ran: this.#ran };
  }

  /** Runs the flow and answers all its questions. */
  async #answered(
    flow: BuiltFlow<State>,
    options: object,
  ): Promise<{ value: JsonValue; state: JsonValue }> {
    const run = flow.start(options);
    const progress = { isOver: false };
    const output = run.output().finally(() => (progress.isOver = true));
    output.catch(() => undefined);
    if (!this.#program.methods.some(({ review }) => review !== undefined)) return output;
    const answered = new Set<string>();
    const asked = new Map<string, number>();
    while (!progress.isOver) {
      await Promise.race([output.catch(() => undefined), wait(2)]);
      if (progress.isOver) break;
      for (const { key } of (await run.status()).waits) {
        if (answered.has(key)) continue;
        answered.add(key);
        await run.resume({ key, feedback: this.#answer(key, asked) });
      }
    }
    return output;
  }

  #answer(key: string, asked: Map<string, number>): string {
    const name = /method:(m\d+)/.exec(key)?.[1] ?? "";
    const review = this.#program.methods.find((method) => method.name === name)?.review;
    if (key.endsWith("/choice")) throw new EngineError("conflict", `asked again: ${name}`);
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    return review?.answers[count] ?? "";
  }

  #method(method: Method): FlowMethod<State> {
    const { start, listen, emit, review, persist } = method;
    return {
      ...(start === undefined ? {} : { start: start === true ? true : conditionOf(start) }),
      ...(listen === undefined ? {} : { listen: conditionOf(listen) }),
      ...(emit === undefined ? {} : { router: true, emit: [...emit, ...ODD_LABELS] }),
      ...(review === undefined
        ? {}
        : {
            humanFeedback: {
              message: "Good?",
              ...(review.emit === undefined
                ? {}
                : { emit: review.emit, llm: scriptedModel(() => "I do not know") }),
              ...(review.defaultOutcome === undefined
                ? {}
                : { defaultOutcome: review.defaultOutcome }),
            },
          }),
      ...(persist === true ? { persist } : {}),
      run: (context) => this.#body(method, context),
    };
  }

  async #body(method: Method, context: FlowContext<State>): Promise<unknown> {
    const { name, takes, delay, fail, writes = [], labels, none, nested } = method;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#ran.push(takes === true ? [name, shown(context.value)] : [name]);
    if (this.#ran.length > MAX_EXECUTIONS) throw new Error("too many");
    await wait(this.#quantumMs * delay);
    if (fail?.includes(count) === true) throw new Error(`fails ${name}`);
    for (const { op, field, value } of writes) {
      if (op === "append") (context.state[field] as JsonValue[]).push(value);
      else if (op === "add") context.add(field, Number(value));
      else context.state[field] = value;
    }
    if (labels !== undefined) return count <= labels.length ? labels[count - 1] : "stop";
    if (none === true) return undefined;
    if (nested === undefined) return `r_${name}_${count}`;
    return (await chainOf(nested).kickoff({ inputs: { from: `${name}_${count}` } })).value;
  }
}

/** A flow of methods in a chain, each adding its number to the text that it was handed. */
function chainOf(length: number): BuiltFlow<State> {
  const methods = Array.from({ length }, (_, at): [string, FlowMethod<State>] => [
    `c${at}`,
    {
      ...(at === 0 ? { start: true } : { listen: `c${at - 1}` }),
      run: ({ value, state }) => `${textOf(at === 0 ? state["from"] : value)}>${at}`,
    },
  ]);
  return defineFlow({ name: "chain", initial: { from: "" }, methods: Object.fromEntries(methods) });
}

function conditionOf(trigger: Trigger): Condition {
  if (typeof trigger === "string") return trigger;
  return "or" in trigger
    ? or(...trigger.or.map(conditionOf))
    : and(...trigger.and.map(conditionOf));
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** A value without what differs by nature, such as the time of a review. */
function shown(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("feedback" in value)) return value ?? null;
  const { output, feedback, outcome } = value as Record<string, unknown>;
  return { output, feedback, outcome };
}
