// The tool calls of a run.
import type { JsonValue } from "../../base/json.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { callPathOf, toolCallIdOf, toolResultIdOf } from "./ids.ts";
import type { Owner } from "./open-work.ts";
import type { AgUiEvent } from "./wire.ts";

type Call = {
  readonly path: string;
  readonly name: string;
  isSent: boolean;
  isDone: boolean;
  /** True if the front end executes it. */
  isCallers: boolean;
};

/** Tools of the front end; see `RunPart`. */
type FrontEndTools = {
  readonly callerTools: readonly string[];
  readonly results?: ReadonlyMap<string, string> | undefined;
};

/** Lookup of a call's subagent and of its message. */
export type CallPlaces = {
  readonly ownerOf: (path: string) => Owner;
  readonly messageOf: (callId: string) => string | undefined;
};

export class ToolCalls {
  readonly #runId: string;
  readonly #places: CallPlaces;
  /** The front end's names of its tools, by their names for models. */
  readonly #callerTools: ReadonlyMap<string, string>;
  readonly #results: ReadonlyMap<string, string>;
  readonly #calls = new Map<string, Call>();

  constructor(
    runId: string,
    { callerTools, results = new Map() }: FrontEndTools,
    places: CallPlaces,
  ) {
    this.#runId = runId;
    this.#places = places;
    this.#results = results;
    this.#callerTools = new Map(callerTools.map((name) => [sanitizeToolName(name), name]));
  }

  get paths(): Iterable<string> {
    return this.#calls.keys();
  }

  /** Calls waiting for the front end, in their order. */
  get pending(): string[] {
    return [...this.#calls.values()]
      .filter(({ isDone, isCallers }) => isCallers && !isDone)
      .map(({ path }) => toolCallIdOf(this.#runId, path));
  }

  /** Notes a wait: its call may be one of a front-end tool. */
  waitOpened(key: string, kind: string): void {
    const call = this.#calls.get(callPathOf(key) ?? "");
    if (kind === "input" && call !== undefined && this.#callerTools.has(call.name))
      call.isCallers = true;
  }

  /** Notes calls pending for approval at the end of an earlier part of the run. */
  asked(keys: Iterable<string>): void {
    for (const key of keys) {
      const path = /(?:^|\/)approval:[^/]+$/.test(key) ? callPathOf(key) : undefined;
      if (path !== undefined && !this.#calls.has(path)) this.#add(path, "").isSent = true;
    }
  }

  /** True for a wait of a front-end tool's call. */
  isCallers(key: string): boolean {
    return this.#calls.get(callPathOf(key) ?? "")?.isCallers === true;
  }

  #add(path: string, name: string): Call {
    const call = { path, name, isSent: false, isDone: false, isCallers: false };
    this.#calls.set(path, call);
    return call;
  }

  call(path: string, name: string, input: JsonValue): readonly AgUiEvent[] {
    const call = this.#calls.get(path) ?? this.#add(path, name);
    if (call.isSent) return [];
    call.isSent = true;
    const toolCallId = toolCallIdOf(this.#runId, path);
    const owner = this.#places.ownerOf(path);
    const modelCall = `${path.slice(0, Math.max(path.lastIndexOf("/"), 0))}/llm`.replace(/^\//, "");
    const parent = this.#places.messageOf(modelCall);
    const parentMessageId = parent === undefined ? {} : { parentMessageId: parent };
    const toolCallName = this.#callerTools.get(name) ?? name;
    return [
      { type: "TOOL_CALL_START", toolCallId, toolCallName, ...parentMessageId, ...owner },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input), ...owner },
      { type: "TOOL_CALL_END", toolCallId, ...owner },
    ];
  }

  finish(path: string, content: string): readonly AgUiEvent[] {
    const call = this.#calls.get(path);
    if (call === undefined || call.isDone) return [];
    call.isDone = true;
    const id = this.#runId;
    const toolCallId = toolCallIdOf(id, path);
    const messageId = call.isCallers ? this.#results.get(toolCallId) : toolResultIdOf(id, path);
    if (messageId === undefined) return [];
    const ids = { messageId, toolCallId };
    return [
      { type: "TOOL_CALL_RESULT", ...ids, content, role: "tool", ...this.#places.ownerOf(path) },
    ];
  }

  /** Returns results for unexecuted calls, once their agent continues without them. */
  settledBefore(callId: string): readonly AgUiEvent[] {
    const agent = callId.replace(/(?:turn:\d+|final-answer|synthesis|reply)\/llm$/, "");
    const isOf = (path: string): boolean =>
      path.startsWith(agent) && /^turn:\d+\/[^/]+$/.test(path.slice(agent.length));
    return this.unresolved(isOf);
  }

  unresolved(isMeant: (path: string) => boolean = () => true): readonly AgUiEvent[] {
    const open = [...this.#calls.values()].filter(
      ({ path, isSent, isDone, isCallers }) => isSent && !isDone && !isCallers && isMeant(path),
    );
    return open.flatMap(({ path }) => this.finish(path, "The tool was not called."));
  }
}
