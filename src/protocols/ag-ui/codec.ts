// A run as the events of AG-UI: a codec over the events of the run, without any port.
//
//   UC1. The order is the one verified by clients: RUN_STARTED comes first, everything open is ended before
//        RUN_FINISHED, and no event follows it.
//   UC2. The events follow from the run's log. Only live text and thoughts come in other pieces when the log is read
//        again.
//   UC3. One request is one part of a run: from its start, or from the answer to its wait, until it waits for its front
//        end again, or ends.
//   UC4. A tool call is its start, its whole arguments and its end, then its result, unless the front end executes the
//        tool. The result of an unexecuted call states this.
//   UC5. An agent working for another one inside a tool call is a subagent, and its events have its id.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { callIdOf } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { EventTracer, type Traced } from "../../events/traced-event.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { callerToolCall } from "../../tools/caller-tools.ts";
import { resultOf } from "../run-state.ts";
import { callPathOf, resultIdOf } from "./ids.ts";
import { interruptOf } from "./interrupts.ts";
import { OpenWork } from "./open-work.ts";
import { RunUsage } from "./run-usage.ts";
import { FlowStateReader, SharedState, type ShowState } from "./shared-state.ts";
import { isSpoken, Speech, type SpokenMark } from "./speech.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Transcript } from "./transcript.ts";
import {
  AG_UI_VERSION,
  finishedEvent,
  successOf,
  type AgUiEvent,
  type AgUiMessage,
  type AgUiOutcome,
} from "./wire.ts";

/** Run and part of a request. */
export type RunPart = {
  /** The run's own id. */
  readonly id: string;
  readonly threadId: string;
  /** The id of the request. */
  readonly requestId: string;
  readonly parentRunId?: string | undefined;
  /** Version in the request; absent from front ends older than 1.0. */
  readonly protocolVersion?: string | undefined;
  /** Request time of the run, in milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Messages sent by the front end. */
  readonly messages: readonly AgUiMessage[];
  /** True if the front end does not have these messages yet. @default false */
  readonly sendsMessages?: boolean;
  /** Names of the front end's tools. */
  readonly callerTools: readonly string[];
  /** Ids of the messages with results of these tools, by tool call, for a front end without them. @default none */
  readonly results?: ReadonlyMap<string, string> | undefined;
  /** Keys of the waits answered by the request. */
  readonly answered: ReadonlySet<string>;
  readonly show: ShowState;
};

type OpenWait = {
  readonly key: string;
  readonly kind: string;
  readonly prompt?: string;
  readonly dueAt?: string;
};

/** State of a run after an event. */
export type Standing = "open" | "waits" | "ended";

export class RunCodec {
  readonly #part: RunPart;
  readonly #transcript = new Transcript();
  readonly #speech: Speech;
  readonly #tracer = new EventTracer();
  readonly #reader = new FlowStateReader();
  readonly #state: SharedState;
  readonly #work: OpenWork;
  readonly #calls: ToolCalls;
  readonly #waits = new Map<string, OpenWait>();
  readonly #usage = new RunUsage();
  #atMs: number;
  /** False while earlier parts are read. */
  #isBegun = false;

  constructor(part: RunPart) {
    this.#part = part;
    this.#atMs = part.createdAtMs;
    this.#state = new SharedState(part.show);
    this.#speech = new Speech(part.id, (messageId) => {
      this.#transcript.drop(messageId);
      return this.#messagesSnapshot();
    });
    this.#work = new OpenWork(part.id);
    this.#calls = new ToolCalls(part.id, part, {
      ownerOf: (path) => this.#work.ownerOf(path),
      messageOf: (callId) => this.#speech.messageOf(callId),
    });
  }

  /** Begins the request's part: begins open items again. */
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
      ...(this.#part.sendsMessages === true ? [this.#messagesSnapshot()] : []),
      ...this.#state.snapshot,
      ...this.#work.again(),
    ]);
  }

  /** Returns the events for one event of the run. */
  read(event: RunEvent | LiveEvent): readonly AgUiEvent[] {
    this.#atMs = Date.parse(event.at);
    return this.#sent([...this.#changed(event), ...this.#read(event, this.#tracer.trace(event))]);
  }

  /**
   * Returns the run's state after this event. `waits` means a wait for somebody outside, other than those answered by
   * the request.
   */
  standing(event: RunEvent | LiveEvent): Standing {
    if (event.type === "run_waiting" && this.openWaits.length > 0) return "waits";
    const ended = ["run_completed", "run_failed", "run_cancelled"].includes(event.type);
    return ended ? "ended" : "open";
  }

  /** Keys of the waits for somebody outside, except those answered by the request. */
  get openWaits(): readonly string[] {
    return [...this.#waits.values()]
      .filter(
        ({ key, kind }) => (kind === "human" || kind === "input") && !this.#part.answered.has(key),
      )
      .map(({ key }) => key);
  }

  /** Ends a part whose run waits. `waits` are the open waits of the run. */
  suspend(waits: readonly Wait[]): readonly AgUiEvent[] {
    const open = this.openWaits.map((key): Wait => {
      const known = waits.find((wait) => wait.key === key);
      const { kind, prompt, dueAt } = this.#waits.get(key) ?? { kind: "input" };
      const seen = { key, kind: kind as Wait["kind"], ...(prompt && { prompt }) };
      return known ?? { ...seen, ...(dueAt === undefined ? undefined : { expiresAt: dueAt }) };
    });
    const questions = open.filter(
      (wait) => callerToolCall(wait) === undefined && !this.#calls.isCallers(wait.key),
    );
    const calls = questions.flatMap(({ key, data }) => {
      const path = callPathOf(key);
      const { tool, arguments: input } = data ?? {};
      if (path === undefined || typeof tool !== "string" || input === undefined) return [];
      return this.#calls.call(path, tool, input);
    });
    const asked = this.#sent(calls);
    const interrupts = questions.map((wait) => ({
      ...interruptOf(this.#part.id, wait, this.messages),
      ...this.#work.ownerOf(wait.key),
    }));
    const outcome: AgUiOutcome =
      interrupts.length > 0 ? { type: "interrupt", interrupts } : successOf(this.#calls.pending);
    const closed = this.#close("suspended");
    const snapshots =
      interrupts.length > 0 ? [...this.#state.snapshot, this.#messagesSnapshot()] : [];
    return [...asked, ...closed, ...this.#sent([...snapshots, this.#finished(outcome)])];
  }

  /** Ends a part whose run has ended. */
  end(run: Run): readonly AgUiEvent[] {
    const unfinished = this.#sent(this.#calls.unresolved());
    if (run.status === "failed") {
      const { code, message } =
        run.error ?? new EngineError("internal", "the run failed").toRecord();
      return [
        ...unfinished,
        ...this.#close("failed"),
        ...this.#sent([{ type: "RUN_ERROR", message, code, ...this.#usage.member }]),
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

  /** Ends a part after a failure to follow it. */
  fail({
    message,
    code,
  }: {
    readonly message: string;
    readonly code: string;
  }): readonly AgUiEvent[] {
    return [...this.#close("failed"), ...this.#sent([{ type: "RUN_ERROR", message, code }])];
  }

  /** Messages of the run so far. */
  get messages(): readonly AgUiMessage[] {
    return this.#transcript.messages;
  }

  /** State at the front end. */
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
    const callId = callIdOf(event);
    if (callId !== undefined && isSpoken(callId)) {
      const before = event.type === "llm_call_started" ? this.#calls.settledBefore(callId) : [];
      const name = agentRole === undefined ? {} : { name: agentRole };
      const speaker = { ...this.#work.ownerOf(callId), ...name };
      if (event.type === "llm_call_completed") this.#usage.add(event.model, event.usage);
      return [...before, ...this.#speech.read(callId, event, speaker)];
    }
    return this.#work.read(event, this.#calls.paths) ?? this.#readCall(event);
  }

  /** Events of calls and waits. */
  #readCall(event: RunEvent | LiveEvent): readonly AgUiEvent[] {
    const { path } = event;
    switch (event.type) {
      case "llm_call_completed":
        this.#usage.add(event.model, event.usage);
        return [];
      case "custom_event_emitted": {
        const { name, data = null } = event;
        return [{ type: "CUSTOM", name, value: data, ...this.#work.ownerOf(path) }];
      }
      case "tool_usage_started":
        return this.#calls.call(path, event.toolName, event.toolArgs);
      case "tool_usage_finished":
        return this.#calls.finish(path, event.output);
      case "tool_usage_error":
        return this.#calls.finish(path, event.error);
      case "wait_opened": {
        const { key, kind, prompt, dueAt } = event;
        this.#waits.set(key, { key, kind, ...(prompt && { prompt }), ...(dueAt && { dueAt }) });
        this.#calls.waitOpened(key, kind);
        return [];
      }
      case "wait_settled":
        this.#waits.delete(event.key);
        return [];
      case "run_waiting":
        if (!this.#isBegun) this.#calls.asked(this.#waits.keys());
        return [];
      default:
        return [];
    }
  }

  /** Ends all open items. */
  #close(how: "success" | "suspended" | "failed"): readonly AgUiEvent[] {
    const spoken = this.#speech.close((callId) => this.#work.ownerOf(callId));
    return this.#sent([...spoken, ...this.#work.close(how)]);
  }

  /** Returns the result as a message, unless a model has already sent it. */
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
    const { threadId, requestId: runId, protocolVersion } = this.#part;
    return finishedEvent({
      threadId,
      runId,
      protocolVersion,
      outcome,
      ...(result === undefined ? undefined : { result }),
      ...this.#usage.member,
    });
  }

  #messagesSnapshot(): AgUiEvent {
    return { type: "MESSAGES_SNAPSHOT", messages: this.#transcript.snapshot(this.#part.messages) };
  }

  #sent(events: readonly AgUiEvent[]): readonly AgUiEvent[] {
    for (const event of events) this.#transcript.add(event);
    return events.map((event) =>
      event.timestamp === undefined ? { ...event, timestamp: this.#atMs } : event,
    );
  }
}
