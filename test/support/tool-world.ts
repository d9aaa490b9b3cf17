// A call of a tool of the catalogue as part of a run: its service answers from fixtures, time passes by itself.
// Loaded before a call asks for them: time that passes by itself would not wait for that.
// oxlint-disable-next-line import/no-unassigned-import
import "css-select";
// oxlint-disable-next-line import/no-unassigned-import
import "entities/decode";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { toJson } from "../../src/base/recorded.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { InMemoryFileStore } from "../../src/files/in-memory-file-store.ts";
import { requireEnvVars } from "../../src/tools/env-vars.ts";
import { callTool } from "../../src/tools/call-tool.ts";
import type { ToolFailure } from "../../src/tools/tool-failure.ts";
import { isToolSource, type ToolSource } from "../../src/tools/tool-source.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { ResultExtras } from "../../src/tools/tool-result.ts";
import { runWhole, type Subject } from "./cut-off.ts";

/** A request as the service got it. */
export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON where it is some, else the text. */
  readonly body: unknown;
  /** Milliseconds since the call began. */
  readonly atMs: number;
};

/** An answer: a response, or what makes one of the request. */
export type Answered = Response | ((request: SeenRequest) => Response | Promise<Response>);

export type ToolCallWorld = {
  readonly requests: readonly SeenRequest[];
  readonly text: string;
  readonly data: JsonValue;
  readonly extras: ResultExtras;
  readonly failure: ToolFailure | undefined;
  readonly events: readonly RunEvent[];
  readonly files: InMemoryFileStore;
  /** Everything that the run has kept or sent on, as one text: for secrets to be looked for. */
  readonly everything: string;
};

export type ToolCallOptions = {
  readonly answers?: readonly Answered[] | ((request: SeenRequest) => Response | Promise<Response>);
  readonly variables?: Readonly<Record<string, string>>;
  readonly services?: RunServices;
  readonly allowPrivate?: boolean;
  /** Of a source of tools: which one is called. @default its first */
  readonly toolName?: string;
};

/** A `fetch` that answers in turn, the last answer again and again, and keeps what it was asked. */
export function answering(
  answers: ToolCallOptions["answers"] = [],
  nowMs: () => number = () => 0,
): { readonly fetch: typeof fetch; readonly requests: SeenRequest[] } {
  const requests: SeenRequest[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const text = await request.clone().text();
      const { pathname, search } = new URL(request.url);
      const seen: SeenRequest = {
        method: request.method,
        url: request.url,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: jsonOr(text),
        atMs: nowMs(),
      };
      requests.push(seen);
      if (typeof answers === "function") return answers(seen);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === undefined) throw new Error(`nobody expected ${request.method} ${request.url}`);
      return typeof answer === "function" ? answer(seen) : answer.clone();
    },
  };
}

/** What a run of one call of a tool is, for whole runs and for those that are cut off. Of a source it is the tool that `toolName` names. */
export function toolSubject(
  tool: Tool | ToolSource,
  input: JsonObject,
  { answers, variables = {}, services = {}, allowPrivate = false, toolName }: ToolCallOptions = {},
): Subject & { readonly requests: SeenRequest[]; readonly files: InMemoryFileStore } {
  let nowMs = (): number => 0;
  let startMs: number | undefined;
  const { fetch, requests } = answering(answers, () => nowMs());
  const files = new InMemoryFileStore();
  const calls: string[] = [];
  const seen: typeof globalThis.fetch = async (target, init) => {
    const request = new Request(target, init);
    calls.push(`${request.method} ${request.url}`);
    return fetch(target, init);
  };
  return {
    requests,
    files,
    calls,
    services: {
      variables,
      files,
      network: { fetch: seen, outbound: { allowPrivate } },
      ...services,
    },
    program: {
      tasks: [],
      run: async (scope) => {
        const begunMs = (startMs ??= scope.clock.now());
        nowMs = () => scope.clock.now() - begunMs;
        const called = await toolOf(scope, tool, toolName);
        requireEnvVars([called], scope.services.variables);
        const outcome = await callTool(scope.at(`tool:${called.safeName}#0`), {
          tool: called,
          input,
          caller: { agentRole: "Tester" },
        });
        return toJson(
          outcome.kind === "result"
            ? { text: outcome.text, data: outcome.raw(), extras: outcome.extras ?? {} }
            : { failure: outcome.failure },
        );
      },
    },
  };
}

async function toolOf(scope: RunScope, tool: Tool | ToolSource, name?: string): Promise<Tool> {
  if (!isToolSource(tool)) return tool;
  const tools = await tool.open(scope.at(`tools:${tool.name}`), { agentRole: "Tester" });
  const found = name === undefined ? tools[0] : tools.find(({ safeName }) => safeName === name);
  if (found !== undefined) return found;
  throw new Error(`no tool ${name}: ${tools.map(({ safeName }) => safeName).join(", ")}`);
}

/** Calls a tool in a run of its own, to the end. Throws when the run fails. */
export async function callOf(
  tool: Tool | ToolSource,
  input: JsonObject,
  options: ToolCallOptions = {},
): Promise<ToolCallWorld> {
  const subject = toolSubject(tool, input, options);
  const { run, events } = await runWhole(subject);
  if (run.status !== "completed") throw new Error(`${run.error?.code}: ${run.error?.message}`);
  const output = run.output as {
    readonly text?: string;
    readonly data?: JsonValue;
    readonly extras?: ResultExtras;
    readonly failure?: ToolFailure;
  };
  return {
    requests: subject.requests,
    text: output.text ?? "",
    data: output.data ?? null,
    extras: output.extras ?? ({ text: "" } as ResultExtras),
    failure: output.failure,
    events,
    files: subject.files,
    everything: JSON.stringify([run, events]),
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
