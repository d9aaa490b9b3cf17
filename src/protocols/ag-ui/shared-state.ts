// The state shared between a run and its front end.
//
//   UX1. A client first receives a snapshot of the state. Changes come as patches to its exact state, or as a new
//        snapshot if it is shorter.
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { patchBetween } from "./json-patch.ts";
import type { AgUiEvent } from "./wire.ts";

/** Reads the state of a run from its events, in order. */
export interface StateReader {
  /** Returns the state as of this event; undefined for events without a state. */
  read(event: RunEvent | LiveEvent): JsonObject | undefined;
}

/** Selects the visible part of a state. */
export type ShowState = (state: JsonObject) => JsonValue;

/** Conversation fields in a flow's state, which are not shared with a front end. */
export const CONVERSATION_FIELDS: ReadonlySet<string> = new Set([
  "messages",
  "currentUserMessage",
  "lastUserMessage",
  "lastIntent",
  "ended",
  "events",
  "agentThreads",
  "sessionReady",
]);

/** Reads the state of a flow's run. Fields omitted from an event because of their size stay as they were. */
export class FlowStateReader implements StateReader {
  #isFlow = false;
  #isConversation = false;
  #root: string | undefined;
  /** The id of a state belongs to the front end only if it sent one. */
  #hasId = false;
  #last: JsonObject = {};

  read(event: RunEvent | LiveEvent): JsonObject | undefined {
    if (event.type === "run_started") this.#isFlow = event.kind === "flow";
    if (!this.#isFlow) return undefined;
    if (event.type === "conversation_turn_started") this.#isConversation = true;
    if (event.type === "flow_started" && this.#root === undefined) {
      this.#root = event.path;
      this.#hasId = Object.hasOwn(event.inputs, "id");
    }
    if (event.type !== "method_execution_started" && event.type !== "method_execution_finished")
      return undefined;
    const method = this.#root === "" ? event.path : event.path.slice((this.#root ?? "").length + 1);
    if (!method.startsWith("method:") || method.includes("/")) return undefined;
    const omitted = (event.stateOmitted ?? []).filter((name) => Object.hasOwn(this.#last, name));
    const kept = Object.fromEntries(omitted.map((name) => [name, this.#last[name] ?? null]));
    return (this.#last = this.#without({ ...event.state, ...kept }));
  }

  /** Reads the whole state of a finished run. */
  readOutput(output: JsonValue | undefined): JsonObject | undefined {
    if (!this.#isFlow || !isJsonObject(output ?? null)) return undefined;
    const { state } = output as JsonObject;
    return isJsonObject(state ?? null) ? this.#without(state as JsonObject) : undefined;
  }

  #without(state: JsonObject): JsonObject {
    const isShared = (name: string): boolean =>
      this.#isConversation
        ? name !== "id" && !CONVERSATION_FIELDS.has(name)
        : name !== "id" || this.#hasId;
    return Object.fromEntries(Object.entries(state).filter(([name]) => isShared(name)));
  }
}

/** State at a client. */
export class SharedState {
  readonly #show: ShowState;
  #state: JsonValue | undefined;

  constructor(show: ShowState) {
    this.#show = show;
  }

  /** Returns the events from the client's state to this one. */
  change(state: JsonObject): readonly AgUiEvent[] {
    const before = this.#state;
    const after = this.#show(state);
    this.#state = after;
    if (before === undefined) return this.snapshot;
    if (canonicalJson(before) === canonicalJson(after)) return [];
    const delta = [...patchBetween(before, after)];
    return JSON.stringify(delta).length < JSON.stringify(after).length + SNAPSHOT_COST
      ? [{ type: "STATE_DELTA", delta }]
      : this.snapshot;
  }

  /** Events for a whole snapshot, if there is a state. */
  get snapshot(): readonly AgUiEvent[] {
    return this.#state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: this.#state }];
  }
}

/** A patch may exceed the state by this length, in UTF-16 units, because it shows clients the change itself. */
const SNAPSHOT_COST = 512;
