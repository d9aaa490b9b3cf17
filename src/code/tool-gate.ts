// Tools for running code.
//
//   TGA1. Each call is a step below the step of the code. Its name has the tool, the arguments and their count so far.
//   TGA2. Code that runs again gets the recorded answers of its earlier calls. Recorded calls finish even if the code
//         does not ask again.
//   TGA3. Code may make 20 calls. When it has ended, no more calls start, and all started calls have ended.
import { fingerprint } from "../base/hash.ts";
import {
  canonicalJson,
  isJsonObject,
  parsedObject,
  type JsonObject,
  type JsonValue,
} from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { callInside } from "../tools/inner-call.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import type { ResultSource } from "../tools/tool-result.ts";
import type { Tool } from "../tools/tool.ts";
import type { CodeToolAnswer, CodeTools } from "./code-runner.ts";

/** Maximum for one piece of code. */
const MAX_CALLS = 20;
const MAX_INPUT_CHARS = 1024 * 1024;
const MAX_VALUE_CHARS = 8 * 1024 * 1024;

/** Recorded answer. */
type Answered = (
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string }
) & { readonly usd?: number; readonly sources?: readonly ResultSource[] };

const INPUT = "input:";

/** Calls of tools by a piece of code, and their results. */
export class ToolGate implements CodeTools {
  readonly #scope: RunScope;
  readonly #context: ToolContext;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #made = new Map<string, number>();
  /** By label. */
  readonly #answers = new Map<string, Promise<Answered>>();
  #calls = 0;
  #closed = false;

  private constructor(scope: RunScope, context: ToolContext, tools: readonly Tool[]) {
    this.#scope = scope;
    this.#context = context;
    this.#tools = new Map(tools.map((tool) => [tool.safeName, tool]));
  }

  /**
   * Opens the gate of a piece of code at the place of its step. First finishes the calls of earlier executions (TGA2).
   */
  static async open(
    scope: RunScope,
    context: ToolContext,
    tools: readonly Tool[],
  ): Promise<ToolGate> {
    const gate = new ToolGate(scope, context, tools);
    for (const segment of scope.finishedBelow)
      if (segment.startsWith(INPUT)) gate.#recall(segment.slice(INPUT.length));
    await Promise.all(gate.#answers.values());
    return gate;
  }

  async call(name: string, input: string): Promise<CodeToolAnswer> {
    if (this.#closed) return refused("the code has ended");
    if (++this.#calls > MAX_CALLS)
      return refused(`code may make ${MAX_CALLS} calls of tools; this is one more`);
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      const names = [...this.#tools.keys()].join(", ") || "none";
      return refused(`there is no tool ${name}; there are: ${names}`);
    }
    const read = inputOf(input);
    if (read === undefined) return refused(`tools.${name}() takes one object of arguments`);
    const answer = await this.#answerOf(tool, read);
    if (!answer.ok) return answer;
    const value = JSON.stringify(answer.value);
    return value.length > MAX_VALUE_CHARS
      ? refused(`the result of ${name} is larger than ${MAX_VALUE_CHARS} characters`)
      : { ok: true, value };
  }

  /** Refuses further calls and waits for those in progress. */
  async close(): Promise<{ readonly usd: number; readonly sources: readonly ResultSource[] }> {
    this.#closed = true;
    const answers = await Promise.all(this.#answers.values());
    return {
      usd: answers.reduce((sum, { usd = 0 }) => sum + usd, 0),
      sources: answers.flatMap(({ sources = [] }) => sources),
    };
  }

  #answerOf(tool: Tool, input: JsonObject): Promise<Answered> {
    const what = `${tool.safeName}:${fingerprint(canonicalJson(input)).slice(0, 8)}`;
    const count = this.#made.get(what) ?? 0;
    this.#made.set(what, count + 1);
    const label = `${what}#${count}`;
    const known = this.#answers.get(label);
    if (known !== undefined) return known;
    this.#scope.at(`${INPUT}${label}`).reading(() => ({ tool: tool.safeName, input }));
    return this.#perform(label, { tool, input });
  }

  /** Takes up a call of an earlier execution, and continues it if it was cut off. */
  #recall(label: string): void {
    const asked = this.#scope.at(`${INPUT}${label}`).reading<JsonValue>(() => null);
    if (!isJsonObject(asked)) return;
    const { tool: name, input } = asked;
    const tool = typeof name === "string" ? this.#tools.get(name) : undefined;
    if (tool !== undefined && isJsonObject(input)) void this.#perform(label, { tool, input });
  }

  #perform(
    label: string,
    call: { readonly tool: Tool; readonly input: JsonObject },
  ): Promise<Answered> {
    const place = this.#scope.at(`call:${label}`);
    const answer = place.group<Answered>("group", (inside) =>
      carryOut(inside, this.#context, call),
    );
    this.#answers.set(label, answer);
    return answer;
  }
}

async function carryOut(
  place: RunScope,
  context: ToolContext,
  call: { readonly tool: Tool; readonly input: JsonObject },
): Promise<Answered> {
  const outcome = await callInside(place, context, call);
  if ("refused" in outcome) return { ok: false, message: outcome.refused };
  const { value, extras } = outcome;
  return {
    ok: true,
    value,
    ...(extras?.usd === undefined ? undefined : { usd: extras.usd }),
    ...(extras?.sources === undefined ? undefined : { sources: extras.sources }),
  };
}

function refused(message: string): CodeToolAnswer {
  return { ok: false, message };
}

function inputOf(text: string): JsonObject | undefined {
  if (text.length > MAX_INPUT_CHARS) return undefined;
  return parsedObject(text);
}
