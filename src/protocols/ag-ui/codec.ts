// A run as the events of AG-UI: a codec over the events of the run, without any port.
//
//   UC1. The order is what clients verify: RUN_STARTED first, everything that was begun is ended before RUN_FINISHED, and nothing follows it.
//   UC2. The events of a run follow from its log. Only text and thoughts that come live come in other pieces when the log is read again.
//   UC3. One request is one part of a run: from its start, or from the answer to what it waited for, up to where it waits for its front end
//        again, or ends.
//   UC4. A tool call is its start, its whole arguments and its end; then its result, unless the front end carries the tool out. A call that was
//        not carried out has a result that says so.
//   UC5. An agent that works for another one inside a tool call is a subagent, and what it does bears its id.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { addUsage, type Usage } from "../../base/usage.ts";
import { callIdOf } from "../../events/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { EventTracer, type Traced } from "../../events/traced-event.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { callerToolCall } from "../../tools/caller-tools.ts";
import { sanitizeToolName } from "../../tools/tool-name.ts";
import { resultOf } from "../run-state.ts";
import { callPathOf, resultIdOf, subagentIdOf, toolCallIdOf, toolResultIdOf } from "./ids.ts";
import { interruptOf } from "./interrupts.ts";
import { FlowStateReader, SharedState, type ShowState } from "./shared-state.ts";
import { isSpoken, Speech, type SpokenMark } from "./speech.ts";
import { Transcript } from "./transcript.ts";
import { AG_UI_VERSION, type AgUiEvent, type AgUiMessage, type AgUiOutcome } from "./wire.ts";

/** Which part of which run a request is about. */
export type RunPart = {
  /** The run's own id. */
  readonly id: string;
  readonly threadId: string;
  /** The id of the request. */
  readonly requestId: string;
  readonly parentRunId?: string | undefined;
  /** When the run was asked for, in milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** The messages that the front end brought along. */
  readonly messages: readonly AgUiMessage[];
  /** The names of the tools that the front end carries out. */
  readonly callerTools: readonly string[];
  /** The keys of the waits that the request has answered. */
  readonly answered: ReadonlySet<string>;
  readonly show: ShowState;
};

type Step = {
  readonly path: string;
  readonly kind: StepKind;
  readonly name: string;
  readonly owner: Owner;
};
/** An agent that works alone is `alone` as a whole, and `agent` each time it is put to its task. */
type StepKind = "task" | "method" | "alone" | "agent";
type Subagent = {
  readonly path: string;
  readonly kind: StepKind;
  readonly id: string;
  readonly name: string;
  readonly toolPath: string;
};
type Opened = { readonly path: string; readonly kind: StepKind; readonly name: string };
type Call = {
  readonly path: string;
  readonly name: string;
  isSent: boolean;
  isDone: boolean;
  /** The front end carries it out. */
  isCallers: boolean;
};
type Owner = { readonly subagentRunId?: string };
type OpenWait = {
  readonly key: string;
  readonly kind: string;
  readonly prompt?: string;
  readonly dueAt?: string;
};

/** Where a run stands after an event. */
export type Standing = "open" | "waits" | "ended";

export class RunCodec {
  readonly #part: RunPart;
  readonly #transcript = new Transcript();
  readonly #speech: Speech;
  readonly #tracer = new EventTracer();
  readonly #reader = new FlowStateReader();
  readonly #state: SharedState;
  readonly #callerTools: ReadonlyMap<string, string>;
  #steps: Step[] = [];
  #subagents: Subagent[] = [];
  /** Agents that work alone. */
  #alone: Opened[] = [];
  readonly #calls = new Map<string, Call>();
  readonly #waits = new Map<string, OpenWait>();
  readonly #usage = new Map<string, Usage>();
  #atMs: number;
  /** False while what went before the request's part is read. */
  #isBegun = false;

  constructor(part: RunPart) {
    this.#part = part;
    this.#atMs = part.createdAtMs;
    this.#state = new SharedState(part.show);
    this.#callerTools = new Map(part.callerTools.map((name) => [sanitizeToolName(name), name]));
    this.#speech = new Speech(part.id, (messageId) => {
      this.#transcript.drop(messageId);
      return this.#messagesSnapshot();
    });
  }

  /** The beginning of the request's part: what is open is begun again. */
  begin(): readonly AgUiEvent[] {
    this.#isBegun = true;
    this.#usage.clear();
    const { threadId, requestId, parentRunId } = this.#part;
    return this.#sent([
      {
        type: "RUN_STARTED",
        threadId,
        runId: requestId,
        protocolVersion: AG_UI_VERSION,
        ...(parentRunId === undefined ? undefined : { parentRunId }),
      },
      ...this.#state.snapshot,
      ...this.#subagents.map((subagent) => this.#started(subagent)),
      ...this.#steps.map(
        ({ name, owner }) => ({ type: "STEP_STARTED", stepName: name, ...owner }) as const,
      ),
    ]);
  }

  /** The events for one event of the run. */
  read(event: RunEvent | LiveEvent): readonly AgUiEvent[] {
    this.#atMs = Date.parse(event.at);
    return this.#sent([...this.#changed(event), ...this.#read(event, this.#tracer.trace(event))]);
  }

  /** How the run stands after this event: whether it waits for somebody outside, apart from what the request answers. */
  standing(event: RunEvent | LiveEvent): Standing {
    if (event.type === "run_waiting" && this.openWaits.length > 0) return "waits";
    const ended = ["run_completed", "run_failed", "run_cancelled"].includes(event.type);
    return ended ? "ended" : "open";
  }

  /** The keys of the waits for somebody outside, apart from those that the request answers. */
  get openWaits(): readonly string[] {
    return [...this.#waits.values()]
      .filter(
        ({ key, kind }) => (kind === "human" || kind === "input") && !this.#part.answered.has(key),
      )
      .map(({ key }) => key);
  }

  /** The end of a part whose run waits. `waits` are those of the run, as far as they are still open. */
  suspend(waits: readonly Wait[]): readonly AgUiEvent[] {
    const open = this.openWaits.map((key): Wait => {
      const known = waits.find((wait) => wait.key === key);
      const { kind, prompt, dueAt } = this.#waits.get(key) ?? { kind: "input" };
      const seen = { key, kind: kind as Wait["kind"], ...(prompt && { prompt }) };
      return known ?? { ...seen, ...(dueAt === undefined ? undefined : { expiresAt: dueAt }) };
    });
    const questions = open.filter((wait) => !this.#isCallers(wait));
    const calls = questions.flatMap(({ key, data }) => {
      const path = callPathOf(key);
      const { tool, arguments: input } = data ?? {};
      if (path === undefined || typeof tool !== "string" || input === undefined) return [];
      return this.#call(path, tool, input);
    });
    const asked = this.#sent(calls);
    const interrupts = questions.map((wait) => {
      const { subagentRunId } = this.#ownerOf(wait.key);
      const about = subagentRunId === undefined ? {} : { subagentRunId };
      return { ...interruptOf(this.#part.id, wait), ...about };
    });
    const pending = [...this.#calls.values()].filter(
      ({ isDone, isCallers }) => isCallers && !isDone,
    );
    const outcome: AgUiOutcome =
      interrupts.length > 0
        ? { type: "interrupt", interrupts }
        : {
            type: "success",
            pendingToolCallIds: pending.map(({ path }) => toolCallIdOf(this.#part.id, path)),
          };
    const closed = this.#close("suspended");
    const snapshots =
      interrupts.length > 0 ? [...this.#state.snapshot, this.#messagesSnapshot()] : [];
    return [...asked, ...closed, ...this.#sent([...snapshots, this.#finished(outcome)])];
  }

  /** The end of a part whose run has ended. */
  end(run: Run): readonly AgUiEvent[] {
    const unfinished = this.#sent(this.#unresolved(() => true));
    if (run.status === "failed") {
      const { code, message } =
        run.error ?? new EngineError("internal", "the run failed").toRecord();
      return [
        ...unfinished,
        ...this.#close("failed"),
        ...this.#sent([{ type: "RUN_ERROR", message, code, ...this.#used() }]),
      ];
    }
    const closed = this.#close("success");
    if (run.status !== "completed")
      return [...unfinished, ...closed, ...this.#sent([this.#finished({ type: "cancelled" })])];
    const state = this.#reader.readOutput(run.output);
    const last = state === undefined ? [] : this.#state.change(state);
    const { text, data } = resultOf(run);
    const said = this.#sent([...last, ...this.#result(text, data)]);
    const result = data ?? (text === "" ? undefined : text);
    const outcome = { type: "success" } as const;
    return [...unfinished, ...closed, ...said, ...this.#sent([this.#finished(outcome, result)])];
  }

  /** The end of a part that cannot be followed further. */
  fail({
    message,
    code,
  }: {
    readonly message: string;
    readonly code: string;
  }): readonly AgUiEvent[] {
    return [...this.#close("failed"), ...this.#sent([{ type: "RUN_ERROR", message, code }])];
  }

  /** The messages that the run has said so far. */
  get messages(): readonly AgUiMessage[] {
    return this.#transcript.messages;
  }

  /** The state as the front end has it. */
  get state(): JsonValue | undefined {
    const [snapshot] = this.#state.snapshot;
    return snapshot?.type === "STATE_SNAPSHOT" ? (snapshot.snapshot as JsonValue) : undefined;
  }

  get marks(): readonly SpokenMark[] {
    return this.#speech.marks;
  }

  set marks(marks: readonly SpokenMark[]) {
    this.#speech.marks = marks;
  }

  #changed(event: RunEvent | LiveEvent): readonly AgUiEvent[] {
    const state = this.#reader.read(event);
    return state === undefined ? [] : this.#state.change(state);
  }

  #read(event: RunEvent | LiveEvent, { agentRole }: Traced): readonly AgUiEvent[] {
    const { path } = event;
    const callId = callIdOf(event);
    if (callId !== undefined && isSpoken(callId)) {
      const before = event.type === "llm_call_started" ? this.#settledBefore(callId) : [];
      const name = agentRole === undefined ? {} : { name: agentRole };
      const speaker = { ...this.#ownerOf(callId), ...name };
      if (event.type === "llm_call_completed") this.#count(event.model, event.usage);
      return [...before, ...this.#speech.read(callId, event, speaker)];
    }
    switch (event.type) {
      case "llm_call_completed":
        this.#count(event.model, event.usage);
        return [];
      case "task_started":
        return this.#openStep({ path, kind: "task", name: event.taskName });
      case "method_execution_started":
        return this.#openStep({ path, kind: "method", name: event.methodName });
      case "agent_execution_started":
        return this.#openAgent({ path, kind: "agent", name: event.agentRole });
      case "lite_agent_execution_started": {
        const { role } = event.agentInfo;
        return this.#openAgent({ path, kind: "alone", name: typeof role === "string" ? role : "" });
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
      case "tool_usage_started":
        return this.#call(path, event.toolName, event.toolArgs);
      case "tool_usage_finished":
        return this.#finishCall(path, event.output);
      case "tool_usage_error":
        return this.#finishCall(path, event.error);
      case "wait_opened": {
        const { key, kind, prompt, dueAt } = event;
        this.#waits.set(key, { key, kind, ...(prompt && { prompt }), ...(dueAt && { dueAt }) });
        const call = this.#calls.get(callPathOf(key) ?? "");
        if (kind === "input" && call !== undefined && this.#callerTools.has(call.name))
          call.isCallers = true;
        return [];
      }
      case "wait_settled":
        this.#waits.delete(event.key);
        return [];
      case "run_waiting":
        if (!this.#isBegun) this.#markAsked();
        return [];
      default:
        return [];
    }
  }

  /** The calls that an earlier part of the run ended with, for people to approve. */
  #markAsked(): void {
    for (const key of this.#waits.keys()) {
      const path = /(?:^|\/)approval:[^/]+$/.test(key) ? callPathOf(key) : undefined;
      if (path !== undefined && !this.#calls.has(path)) this.#add(path, "").isSent = true;
    }
  }

  #isCallers(wait: Wait): boolean {
    return (
      callerToolCall(wait) !== undefined ||
      this.#calls.get(callPathOf(wait.key) ?? "")?.isCallers === true
    );
  }

  #add(path: string, name: string): Call {
    const call = { path, name, isSent: false, isDone: false, isCallers: false };
    this.#calls.set(path, call);
    return call;
  }

  #call(path: string, name: string, input: JsonValue): readonly AgUiEvent[] {
    const call = this.#calls.get(path) ?? this.#add(path, name);
    if (call.isSent) return [];
    call.isSent = true;
    const toolCallId = toolCallIdOf(this.#part.id, path);
    const owner = this.#ownerOf(path);
    const modelCall = `${path.slice(0, Math.max(path.lastIndexOf("/"), 0))}/llm`.replace(/^\//, "");
    const parent = this.#speech.messageOf(modelCall);
    const parentMessageId = parent === undefined ? {} : { parentMessageId: parent };
    const toolCallName = this.#callerTools.get(name) ?? name;
    return [
      { type: "TOOL_CALL_START", toolCallId, toolCallName, ...parentMessageId, ...owner },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input), ...owner },
      { type: "TOOL_CALL_END", toolCallId, ...owner },
    ];
  }

  #finishCall(path: string, content: string): readonly AgUiEvent[] {
    const call = this.#calls.get(path);
    if (call === undefined || call.isDone) return [];
    call.isDone = true;
    if (call.isCallers) return [];
    const { id } = this.#part;
    const ids = { messageId: toolResultIdOf(id, path), toolCallId: toolCallIdOf(id, path) };
    return [{ type: "TOOL_CALL_RESULT", ...ids, content, role: "tool", ...this.#ownerOf(path) }];
  }

  /** Results for calls that were not made, once their agent goes on without. */
  #settledBefore(callId: string): readonly AgUiEvent[] {
    const agent = callId.replace(/(?:turn:\d+|final-answer|synthesis|reply)\/llm$/, "");
    const isOf = (path: string): boolean =>
      path.startsWith(agent) && /^turn:\d+\/[^/]+$/.test(path.slice(agent.length));
    return this.#unresolved(isOf);
  }

  #unresolved(isMeant: (path: string) => boolean): readonly AgUiEvent[] {
    const open = [...this.#calls.values()].filter(
      ({ path, isSent, isDone, isCallers }) => isSent && !isDone && !isCallers && isMeant(path),
    );
    return open.flatMap(({ path }) => this.#finishCall(path, "The tool was not called."));
  }

  #openStep({ path, kind, name: of }: Opened): readonly AgUiEvent[] {
    const owner = this.#ownerOf(path);
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

  #openAgent(opened: Opened): readonly AgUiEvent[] {
    const { path, kind, name } = opened;
    const isIn = (outer: Opened): boolean =>
      outer.kind === "alone" && (path === outer.path || isBelow(path, outer.path));
    if (kind === "agent" && this.#alone.some((outer) => isIn(outer) && outer.name === name))
      return [];
    if (kind === "alone") this.#alone.push(opened);
    const call = [...this.#calls.keys()]
      .filter((each) => isBelow(path, each))
      .toSorted((a, b) => b.length - a.length)[0];
    if (call === undefined) return this.#openStep(opened);
    const id = subagentIdOf(this.#part.id, path);
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
      parentToolCallId: toolCallIdOf(this.#part.id, toolPath),
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

  /** Ends everything that is open: what was begun last ends first. */
  #close(how: "success" | "suspended" | "failed"): readonly AgUiEvent[] {
    const spoken = this.#speech.close((callId) => this.#ownerOf(callId));
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
    return this.#sent([...spoken, ...steps, ...subagents]);
  }

  /** The result as a message, where no model has said it. */
  #result(text: string, data: JsonValue | undefined): readonly AgUiEvent[] {
    const { lastText } = this.#speech;
    const isSaid = data === undefined ? lastText.trim().endsWith(text.trim()) : lastText !== "";
    if (text.trim() === "" || isSaid) return [];
    const messageId = resultIdOf(this.#part.id);
    return [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
      { type: "TEXT_MESSAGE_END", messageId },
    ];
  }

  #finished(outcome: AgUiOutcome, result?: JsonValue): AgUiEvent {
    const { threadId, requestId } = this.#part;
    const value = result === undefined ? {} : { result };
    return { type: "RUN_FINISHED", threadId, runId: requestId, outcome, ...value, ...this.#used() };
  }

  #messagesSnapshot(): AgUiEvent {
    return { type: "MESSAGES_SNAPSHOT", messages: this.#transcript.snapshot(this.#part.messages) };
  }

  #count(model: string, usage: Usage): void {
    const before = this.#usage.get(model);
    this.#usage.set(model, before === undefined ? usage : addUsage(before, usage));
  }

  #used(): Pick<Extract<AgUiEvent, { type: "RUN_FINISHED" }>, "usage"> {
    if (this.#usage.size === 0) return {};
    const usage = [...this.#usage].map(([id, used]) => {
      const slash = id.indexOf("/");
      return {
        ...(slash > 0 ? { provider: id.slice(0, slash) } : undefined),
        model: id.slice(slash + 1),
        inputTokens: used.promptTokens,
        outputTokens: used.completionTokens,
        totalTokens: used.totalTokens,
        ...(used.reasoningTokens > 0 ? { reasoningTokens: used.reasoningTokens } : undefined),
        ...(used.cachedPromptTokens > 0
          ? { cachedInputTokens: used.cachedPromptTokens }
          : undefined),
        ...(used.cacheCreationTokens > 0
          ? { cacheWriteInputTokens: used.cacheCreationTokens }
          : undefined),
      };
    });
    return { usage };
  }

  /** The innermost subagent at whose work this place lies. */
  #ownerOf(path: string): Owner {
    const owner = this.#subagents.findLast((each) => isBelow(path, each.path));
    return owner === undefined ? {} : { subagentRunId: owner.id };
  }

  #sent(events: readonly AgUiEvent[]): readonly AgUiEvent[] {
    for (const event of events) this.#transcript.add(event);
    return events.map((event) =>
      event.timestamp === undefined ? { ...event, timestamp: this.#atMs } : event,
    );
  }
}

function isBelow(path: string, outer: string): boolean {
  return outer === "" ? path !== "" : path.startsWith(`${outer}/`);
}
