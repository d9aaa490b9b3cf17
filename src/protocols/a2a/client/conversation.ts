// A conversation with one remote agent within one piece of work.
//
//   AXV1. Its state comes from recorded turns alone, so a replay continues it like the first drive.
//   AXV2. An open task (one with a question) gets the next message. A finished one becomes a reference of the next.
//   AXV3. If the remote agent has forgotten the context, the message is sent once more, in a new context.
//   AXV4. With `inputRequired: "person"` the run waits for a person's text, for any length of time, and forwards it.
import { cut, MAX_EVENT_TEXT } from "../../../base/cut.ts";
import { EngineError, errorMessage, type ErrorCode } from "../../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { askRemote, readOn, type Question } from "./ask-remote.ts";
import type { A2AConversationState, A2AHistoryMessage } from "./client-extension.ts";
import { namedPeer, type Peer } from "./peer.ts";
import type { DataPart, RemoteAnswer, RemoteState } from "./remote-task.ts";

/** A recorded turn. */
export type Turn = {
  /** Text for the model. */
  readonly text: string;
  readonly state: RemoteState;
  readonly taskId?: string;
  readonly contextId?: string;
  /** Key of the open question. */
  readonly question?: string;
  readonly said: ReadonlyArray<{
    readonly role: "user" | "agent";
    readonly text: string;
    readonly data: readonly DataPart[];
  }>;
};

const MAX_HISTORY = 50;

/** Errors of a remote agent reported to the model. Any other error ends the work. */
const REPORTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "tool_failed",
  "timeout",
  "unauthorized",
  "forbidden",
  "unavailable",
  "not_found",
  "invalid_input",
  "invalid_definition",
]);

export class Conversation {
  readonly peer: Peer;
  #turns = 0;
  #contextId: string | undefined;
  #taskId: string | undefined;
  #question: string | undefined;
  #references: string[] = [];
  #history: A2AHistoryMessage[] = [];
  #last = "";

  constructor(peer: Peer) {
    this.peer = peer;
  }

  /** Number of messages sent so far. */
  get turns(): number {
    return this.#turns;
  }

  get isOver(): boolean {
    return this.#turns >= this.peer.config.maxTurns;
  }

  /** Last text of the remote agent. */
  get last(): string {
    return this.#last;
  }

  get history(): readonly A2AHistoryMessage[] {
    return this.#history;
  }

  /** Returns the state of each extension. */
  state(warn: (error: unknown) => void): ReadonlyArray<A2AConversationState | undefined> {
    return this.peer.config.clientExtensions.map((each) => {
      try {
        return each.extractStateFromHistory?.(this.#history);
      } catch (error) {
        warn(error);
        return undefined;
      }
    });
  }

  /** Takes over a recorded turn (AXV1). */
  take(turn: Turn): void {
    const { said, state, taskId, contextId, question } = turn;
    this.#turns += said.filter(({ role }) => role === "user").length;
    this.#history = [...this.#history, ...said].slice(-MAX_HISTORY);
    this.#last = said.findLast(({ role }) => role === "agent")?.text ?? this.#last;
    this.#contextId = contextId ?? this.#contextId;
    const isOpen = state === "input_required" || state === "auth_required";
    this.#taskId = isOpen ? taskId : undefined;
    this.#question = isOpen ? question : undefined;
    if (!isOpen && taskId !== undefined && !this.#references.includes(taskId))
      this.#references.push(taskId);
  }

  /** Sends a message at `place`. A failed call of the remote agent is a turn too. */
  async say(place: RunScope, message: string): Promise<Turn> {
    const { peer } = this;
    const named = namedPeer(peer);
    const { agentRole } = peer;
    const context = this.#contextId === undefined ? undefined : { contextId: this.#contextId };
    if (this.#turns === 0)
      place.emit("a2a_conversation_started", { ...named, agentRole, ...context });
    place.emit("a2a_delegation_started", {
      ...named,
      agentRole,
      taskDescription: cut(message, MAX_EVENT_TEXT),
      turnNumber: this.#turns + 1,
      ...context,
    });
    const turn = await this.#turn(place, message);
    const ended = turn.state !== "input_required" && turn.state !== "auth_required";
    const failed = ended && turn.state !== "completed";
    const outcome = failed ? { error: cut(turn.text, MAX_EVENT_TEXT) } : undefined;
    place.emit("a2a_delegation_completed", {
      ...named,
      status: turn.state,
      ...(outcome ?? { result: cut(turn.text, MAX_EVENT_TEXT) }),
      ...(turn.contextId === undefined ? undefined : { contextId: turn.contextId }),
    });
    if (ended)
      place.emit("a2a_conversation_completed", {
        ...named,
        status: turn.state,
        totalTurns: this.#turns + turn.said.filter(({ role }) => role === "user").length,
        ...(outcome ?? { finalResult: cut(turn.text, MAX_EVENT_TEXT) }),
      });
    const { contextId } = turn;
    const about = { endpoint: peer.config.endpoint };
    if (contextId !== undefined && contextId !== this.#contextId)
      place.emit("a2a_context_created", { contextId, ...about });
    if (contextId !== undefined && turn.state === "completed")
      place.emit("a2a_context_completed", {
        contextId,
        ...about,
        taskCount: this.#references.length + 1,
      });
    return turn;
  }

  async #turn(place: RunScope, message: string): Promise<Turn> {
    const said: Array<Turn["said"][number]> = [];
    let next = message;
    let answer: RemoteAnswer | undefined;
    for (let count = 1; ; count++) {
      const at = count === 1 ? place : place.at(`turn:${count}`);
      try {
        answer = await this.#asked(at, { text: next, previous: answer, turn: this.#turns + count });
      } catch (error) {
        if (!EngineError.is(error) || !REPORTED.has(error.code)) throw error;
        said.push({ role: "user", text: next, data: [] });
        return { ...turnOf(answer), text: errorMessage(error), state: "failed", said };
      }
      const shown = this.#processed(at, answer);
      said.push({ role: "user", text: next, data: [] }, { role: "agent", ...shown });
      const mayReply = this.#turns + count < this.peer.config.maxTurns;
      const reply = mayReply ? await this.#fromPerson(at, { answer, text: shown.text }) : undefined;
      if (reply === undefined) return { ...turnOf(answer), text: textOf(shown), said };
      if ("credentials" in reply) {
        answer = await readOn(at.at("authorized"), this.peer, answer);
        const now = this.#processed(at, answer);
        said.push({ role: "agent", ...now });
        if (answer.state !== "input_required")
          return { ...turnOf(answer), text: textOf(now), said };
      } else next = reply.text;
    }
  }

  async #asked(
    place: RunScope,
    {
      text,
      previous,
      turn,
    }: {
      readonly text: string;
      readonly previous: RemoteAnswer | undefined;
      readonly turn: number;
    },
  ): Promise<RemoteAnswer> {
    const states = this.state((error) => this.#warn(place, error));
    const { clientExtensions } = this.peer.config;
    let said = text;
    const asked = previous === undefined ? this.#question : previous.question;
    let metadata: JsonObject = asked === undefined ? {} : { wait: asked };
    for (const [index, each] of clientExtensions.entries()) {
      try {
        said = each.augmentPrompt?.(said, states[index]) ?? said;
        metadata = { ...metadata, ...each.prepareMessageMetadata?.(states[index]) };
      } catch (error) {
        this.#warn(place, error);
      }
    }
    const ids = {
      contextId: previous?.contextId ?? this.#contextId,
      taskId: previous?.taskId ?? this.#taskId,
    };
    const question: Question = {
      text: said,
      turn,
      ...ids,
      referenceTaskIds: this.#references,
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    };
    try {
      return await askRemote(place, this.peer, question);
    } catch (error) {
      const isForgotten = EngineError.is(error) && error.code === "not_found";
      if (!isForgotten || (ids.contextId === undefined && ids.taskId === undefined)) throw error;
      place.emit("a2a_context_expired", {
        contextId: ids.contextId ?? "",
        endpoint: this.peer.config.endpoint,
      });
      return askRemote(place.at("anew"), this.peer, {
        ...question,
        contextId: undefined,
        taskId: undefined,
        referenceTaskIds: [],
      });
    }
  }

  /** Returns the answer as changed by the extensions. */
  #processed(place: RunScope, answer: RemoteAnswer): Pick<RemoteAnswer, "text" | "data"> {
    let shown: Pick<RemoteAnswer, "text" | "data"> = { text: answer.text, data: answer.data };
    const states = this.state(() => undefined);
    for (const [index, each] of this.peer.config.clientExtensions.entries()) {
      try {
        shown = each.processResponse?.(shown, states[index]) ?? shown;
      } catch (error) {
        this.#warn(place, error);
      }
    }
    return shown;
  }

  /**
   * Asks a person for the answer to the remote agent's question. Undefined without a question, or if the model answers
   * (AXV4).
   */
  async #fromPerson(
    place: RunScope,
    { answer, text }: { readonly answer: RemoteAnswer; readonly text: string },
  ): Promise<{ readonly text: string } | { readonly credentials: true } | undefined> {
    const { config, card } = this.peer;
    const { state } = answer;
    if (config.inputRequired !== "person") return undefined;
    if (state !== "input_required" && state !== "auth_required") return undefined;
    const asksFor = state === "input_required" ? "asks" : "needs credentials";
    const words = await place.at("person").wait<JsonValue>({
      kind: "human",
      prompt: `The remote agent "${card.name}" ${asksFor}: ${text || "(it did not say what)"}`,
      subject: text,
    });
    if (state === "auth_required") return { credentials: true };
    return { text: wordsOf(words) };
  }

  #warn(place: RunScope, error: unknown): void {
    place.atNext("extension").emit("agent_warning", {
      agentRole: this.peer.agentRole,
      message: `an extension for the remote agent "${this.peer.card.name}" threw and was skipped: ${errorMessage(error)}`,
    });
  }
}

/** Returns the text of an answer for the model, including its data parts. */
export function textOf({ text, data }: Pick<RemoteAnswer, "text" | "data">): string {
  const shown = data.map(({ value }) => JSON.stringify(value));
  return [...(text === "" ? [] : [text]), ...shown].join("\n");
}

function turnOf(
  answer: RemoteAnswer | undefined,
): Pick<Turn, "state" | "taskId" | "contextId" | "question"> {
  if (answer === undefined) return { state: "failed" };
  const { state, taskId, contextId, question } = answer;
  return {
    state,
    ...(taskId === undefined ? undefined : { taskId }),
    ...(contextId === undefined ? undefined : { contextId }),
    ...(question === undefined ? undefined : { question }),
  };
}

function wordsOf(answer: JsonValue): string {
  if (typeof answer === "string") return answer;
  if (!isJsonObject(answer)) return JSON.stringify(answer);
  const { feedback, value, approve } = answer;
  if (typeof feedback === "string") return feedback;
  if (typeof value === "string") return value;
  if (value !== undefined) return JSON.stringify(value);
  return approve === true ? "yes" : "no";
}
