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
import { crewOf } from "./crew-of.ts";
import { PausedRun } from "./paused-run.ts";
import { takeTurns } from "./run-talk.ts";
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
  if (program.talk !== undefined) return takeTurns(program, program.talk, mode);
  const execution = new Execution(program, { ...timing, mode });
  let flow: BuiltFlow<State>;
  try {
    flow = execution.flow();
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
  readonly #mode: Mode;
  readonly #store = new InMemoryFlowStore();
  #ran: [string, unknown?][] = [];
  #note: (entry: [string, unknown?]) => void = (entry) => void this.#ran.push(entry);
  #executions = 0;
  #counts = new Map<string, number>();

  constructor(program: FlowProgram, { quantumMs, mode }: Timing & { readonly mode: Mode }) {
    this.#program = program;
    this.#quantumMs = quantumMs;
    this.#mode = mode;
  }

  flow(): BuiltFlow<State> {
    const { id, methods, model, maxMethodCalls, persist, pauses } = this.#program;
    const options = {
      name: id,
      methods: Object.fromEntries(methods.map((method) => [method.name, this.#method(method)])),
      ...compatOf(this.#mode),
      ...(maxMethodCalls === undefined ? {} : { maxMethodCalls }),
      ...(persist === "class" || persist === "both" ? { persist: true } : {}),
      ...(persist === "class" || persist === "both" || pauses === true
        ? { persistence: this.#store }
        : {}),
    };
    return model === true
      ? defineFlow({ ...options, state: STATE })
      : defineFlow({ ...options, initial: STATE.parse({}) });
  }

  async kickoff(flow: BuiltFlow<State>, { inputs, restore }: Kickoff): Promise<Outcome> {
    this.#ran = [];
    this.#executions = 0;
    this.#counts = new Map();
    let end: Omit<Outcome, "ran">;
    try {
      const services = this.#program.persist === "method" ? { flowStates: this.#store } : {};
      const options = {
        inputs,
        services,
        ...(restore === undefined ? {} : { restoreFromStateId: restore }),
      };
      const output =
        this.#program.pauses === true
          ? await this.#paused(flow, options)
          : await this.#answered(flow, options);
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

  /** Runs the flow; for each question it is left, and another host goes on from what is on record. */
  async #paused(
    flow: BuiltFlow<State>,
    options: { readonly inputs: Kickoff["inputs"]; readonly services: object },
  ): Promise<{ value: JsonValue; state: JsonValue }> {
    const asked = new Map<string, number>();
    const run = new PausedRun(flow, options);
    for (let key = await run.next(); key !== undefined; key = await run.next())
      await run.resume(key, this.#answer(key, asked));
    return run.output();
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
    const { name, takes, delay, fail, writes = [], labels, none, inner, crew } = method;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (++this.#executions > MAX_EXECUTIONS) throw new Error("too many");
    this.#note(takes === true ? [name, shown(context.value)] : [name]);
    await wait(this.#quantumMs * delay);
    if (fail?.includes(count) === true) throw new Error(`fails ${name}`);
    for (const { op, field, value } of writes) {
      if (op === "append") (context.state[field] as JsonValue[]).push(value);
      else if (op === "add") context.add(field, Number(value));
      else context.state[field] = value;
    }
    if (labels !== undefined) return count <= labels.length ? labels[count - 1] : "stop";
    if (none === true) return undefined;
    if (crew !== undefined) return (await crewOf(crew).kickoff({ inputs: { from: name } })).raw;
    if (inner === undefined) return `r_${name}_${count}`;
    const { value } = await this.#inner(`${name}_${count}`, inner).kickoff();
    return `${name}(${JSON.stringify(value)})`;
  }

  /** A flow within the flow; its methods count and are noted under a name of their own. */
  #inner(name: string, methods: readonly Method[]): BuiltFlow<State> {
    const program: FlowProgram = { id: name, methods, kickoffs: [] };
    const execution = new Execution(program, { quantumMs: this.#quantumMs, mode: this.#mode });
    const ran = this.#ran;
    execution.#note = ([own, ...values]) => void ran.push([`${name}.${own}`, ...values]);
    return execution.flow();
  }
}

/** The state of every program. */
const STATE: z.ZodType<State> = z.object({
  n: z.number().int().default(0),
  text: z.string().default(""),
  log: z.array(z.string()).default([]),
  flag: z.boolean().default(false),
  ratio: z.number().default(0),
  inner: z
    .object({ x: z.number().int().default(0), tags: z.array(z.string()).default([]) })
    .default({ x: 0, tags: [] }),
  counts: z.record(z.string(), z.number().int()).default({}),
});

function compatOf(mode: Mode): { readonly compat?: "crewai" } {
  return mode === "compat" ? { compat: "crewai" } : {};
}

function conditionOf(trigger: Trigger): Condition {
  if (typeof trigger === "string") return trigger;
  return "or" in trigger
    ? or(...trigger.or.map(conditionOf))
    : and(...trigger.and.map(conditionOf));
}

/** A value without what differs by nature, such as the time of a review. */
function shown(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("feedback" in value)) return value ?? null;
  const { output, feedback, outcome } = value as Record<string, unknown>;
  return { output, feedback, outcome };
}
