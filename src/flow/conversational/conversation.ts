// Operations of a conversational flow beside its kickoff.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { fromRecorded, jsonView } from "../../base/recorded.ts";
import { randomId, systemClock } from "../../base/system.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { RunScope } from "../../events/run-scope.ts";
import type { RunServices } from "../../events/run-services.ts";
import { scopeHere, servicesHere } from "../../hooks/scoped-services.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { frames, type FrameSession } from "../../runtime/handle/frame-session.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import { InMemoryFlowStore, type FlowHistoryPage, type FlowStore } from "../flow-store.ts";
import { ownStore, type FlowPersistence } from "../own-store.ts";
import type { RunnableFlow } from "../run-flow.ts";
import { DEFAULT_LIMITS } from "./conversation-config.ts";
import {
  conversationIn,
  conversationState,
  withoutLists,
  type ConversationEvent,
  type ConversationMessage,
} from "./conversation-state.ts";
import { routesOf } from "./routes.ts";
import {
  intentsOf,
  isVisible,
  runTurn,
  type ConversingFlow,
  type Turn,
  type TurnOutput,
} from "./run-turn.ts";
import { Sessions, type Lookout, type SessionPage, type TurnClaim } from "./session.ts";

/** Options of a turn besides the message. */
export type TurnOptions = {
  /** Session of the turn: 1 to 128 letters, digits, signs and spaces. @default a new one */
  readonly sessionId?: string;
  /** The intents by which the message is classified. @default `defaultIntents` */
  readonly intents?: readonly string[];
  /** Model for the classification. @default that of the conversation */
  readonly intentLlm?: ModelSpec;
  /** Put into the state before the turn. */
  readonly inputs?: JsonObject;
};

/** A session as everybody may see it. */
export type SessionView = {
  readonly id: string;
  readonly flow: string;
  /** Number of turns so far. */
  readonly turns: number;
  /** True if the latest turn ended the conversation. */
  readonly ended: boolean;
  readonly lastIntent?: string;
  /** Stored messages; `firstMessage` is the number of the first. */
  readonly messages: readonly ConversationMessage[];
  readonly firstMessage: number;
  /** Public events. */
  readonly events: readonly ConversationEvent[];
  /** The flow's state, without the conversation's lists. */
  readonly state: JsonObject;
  /** Run of the current turn. */
  readonly runId?: string;
};

/** Frames of a turn, and its output. */
export type TurnStream = FrameSession & { readonly output: () => Promise<TurnOutput> };

const SESSION_ID = /^[\p{L}\p{N}\p{P}\p{S} ]{1,128}$/u;

/** Start data of a turn's run. */
const recorded = z.strictObject({
  action: z.literal("turn"),
  message: z.string(),
  sessionId: z.string(),
  intents: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
});

/**
 * Turns of a flow. Sessions are stored in the flow's `persistence`, else in the deployment's store for flow states.
 * Without either, turns in this process keep them in the process as long as the flow object lives.
 */
export class Conversation {
  readonly #talk: ConversingFlow;
  readonly #persistence: FlowPersistence | undefined;
  readonly #inMemory = (): FlowStore => new InMemoryFlowStore();

  constructor(flow: RunnableFlow, about: Pick<ConversingFlow, "config" | "owns">) {
    const { persistence, ...rest } = flow;
    const routes = routesOf(flow.definition, about.config, flow.prompts);
    this.#talk = { ...about, flow: rest, routes };
    this.#persistence = persistence;
  }

  get #name(): string {
    return this.#talk.flow.definition.name;
  }

  /** Runs a turn. Inside a run it joins the run. */
  async handleTurn(
    message: string,
    options: TurnOptions & LocalRunOptions = {},
  ): Promise<TurnOutput> {
    const scope = RunScope.current();
    if (scope === undefined) {
      const begun = this.#begin(message, options, false);
      return begun.attended(begun.run.outputUnattended());
    }
    const place = scopeHere(scope.atNext(`turn:${keySegment(this.#name)}`));
    const output = await this.join(
      place,
      this.#turn(message, options, () => place.at("new-session").uuid()),
    );
    return fromRecorded(output) as TurnOutput;
  }

  /** Starts a turn as a run in this process, and returns its handle. */
  startTurn(message: string, options: TurnOptions & LocalRunOptions = {}): RunHandle<TurnOutput> {
    const begun = this.#begin(message, options, false);
    begun.attended(begun.run.output()).catch(() => undefined); // the handle reports it
    return begun.run;
  }

  /** A turn's events as frames, the words of the built-in methods' models among them as they come. */
  streamTurn(message: string, options: TurnOptions & LocalRunOptions = {}): TurnStream {
    const begun = this.#begin(message, options, true);
    const output = begun.attended(begun.run.output());
    output.catch(() => undefined); // `output()` reports it
    return Object.assign(frames(begun.run), { output: () => output });
  }

  /** Runs a turn at a place of a run. Throws `invalid_input`. */
  join(place: RunScope, turn: Turn): Promise<TurnOutput> {
    this.checkTurn(turn);
    return runTurn(place, this.#talk, { turn, store: this.#store(place.services) });
  }

  /** Returns the program for a host: the turn of `entry`, or one with message and session id from the inputs. */
  program(entry?: JsonObject): RunProgram<TurnOutput> {
    const turn = entry === undefined ? undefined : readEntry(entry);
    return {
      run: (scope, inputs) =>
        this.join(
          scope,
          turn === undefined
            ? turnIn(inputs, () => scope.at("new-session").uuid())
            : { ...turn, inputs },
        ),
      isRecorded: true,
      tasks: [],
    };
  }

  /** Throws `invalid_input` for inputs of a kickoff without a valid turn. */
  checkKickoff(inputs: JsonObject): void {
    this.checkTurn(
      turnIn(inputs, () => "new"),
      { message: "/inputs/message", sessionId: "/inputs/id" },
    );
  }

  /** Throws `invalid_input` and names the field. */
  checkTurn(
    { sessionId, message, ...turn }: Turn,
    paths = { message: "/message", sessionId: "/sessionId" },
  ): void {
    const { config } = this.#talk;
    const { maxLength = DEFAULT_LIMITS.maxLength } = config;
    if (typeof message !== "string" || message.trim() === "")
      throw refused(paths.message, "a text that is not empty", message);
    if (message.length > maxLength)
      throw refused(paths.message, `a text of at most ${maxLength} characters`, message);
    if (typeof sessionId !== "string" || !SESSION_ID.test(sessionId))
      throw refused(paths.sessionId, "1 to 128 letters, digits, signs and spaces", sessionId);
    const { intents } = turn;
    if (
      intents !== undefined &&
      !(Array.isArray(intents) && intents.length > 0 && intents.every(isLabel))
    )
      throw refused("/intents", "a list of texts that are not empty, at least one", intents);
    intentsOf(config, turn);
  }

  /** Returns the start data of a turn's run. */
  entry({ message, sessionId, intents, stream }: Turn): JsonObject {
    return {
      action: "turn",
      message,
      sessionId,
      ...(intents === undefined ? undefined : { intents }),
      ...(stream === undefined ? undefined : { stream }),
    };
  }

  /** Returns the public view of a session; undefined if it does not exist. */
  async session(id: string, services: RunServices = {}): Promise<SessionView | undefined> {
    const kept = this.#sessions(services);
    const [record, holder] = await Promise.all([kept.load(id), kept.holder(id)]);
    if (record === undefined && holder === undefined) return undefined;
    const { turn = 0, dropped = 0, state: recordedState = {} } = record ?? {};
    const state = jsonView(recordedState) as JsonObject;
    const said = record === undefined ? conversationState.parse({}) : conversationIn(state);
    const { messages, events, lastIntent, ended } = said;
    return {
      id,
      flow: this.#name,
      turns: turn,
      ended,
      ...(lastIntent === undefined ? undefined : { lastIntent }),
      messages: messages.filter(isVisible),
      firstMessage: dropped,
      events: events.filter(({ visibility }) => visibility === "public"),
      state: withoutLists(state),
      ...(holder === undefined ? undefined : { runId: holder.runId }),
    };
  }

  /** Lists the sessions, most recent turn first. Undefined if the store cannot list them. */
  sessions(page: FlowHistoryPage, services: RunServices = {}): Promise<SessionPage | undefined> {
    return this.#sessions(services).list(page);
  }

  /** Deletes a session; false if it did not exist. Throws `conflict` during a turn. */
  async forget(id: string, services: RunServices = {}, lookout?: Lookout): Promise<boolean> {
    const kept = this.#sessions(services);
    if (lookout !== undefined) await kept.makeWay({ sessionId: id }, lookout);
    const holder = await kept.holder(id);
    if (holder !== undefined)
      throw new EngineError(
        "conflict",
        `session "${id}" cannot be deleted while a turn is active in run ${holder.runId}`,
      );
    return kept.forget(id);
  }

  /** Claims the session for a run about to start. Throws `conflict` during another turn. */
  async claim(
    claim: Omit<TurnClaim, "key">,
    services: RunServices,
    lookout: Lookout,
  ): Promise<void> {
    const kept = this.#sessions(services);
    await kept.makeWay(claim, lookout);
    await kept.claim({ ...claim, key: SESSION_STEP }, lookout.nowMs);
  }

  /** True if its sessions outlive this process. */
  keepsIn({ flowStates }: RunServices): boolean {
    return (this.#persistence ?? flowStates) !== undefined;
  }

  #store(services: RunServices): FlowStore {
    const { flowStates } = services;
    if (this.#persistence === undefined && flowStates !== undefined) return flowStates;
    return ownStore(this.#name, this.#persistence ?? this.#inMemory, services);
  }

  #sessions(services: RunServices): Sessions {
    return new Sessions(this.#store(services), this.#name);
  }

  #turn(message: string, options: TurnOptions, newId: () => string): Turn {
    const { sessionId = newId(), intents, intentLlm, inputs } = options;
    return { sessionId, message, intents, intentLlm, inputs };
  }

  /**
   * Starts a run for a turn. `attended` releases the session after a run that ended without doing so, such as a
   * cancelled one.
   */
  #begin(message: string, options: TurnOptions & LocalRunOptions, stream: boolean) {
    const { sessionId: _, intents: __, intentLlm: ___, inputs: ____, ...local } = options;
    const turn = {
      ...this.#turn(message, options, randomId),
      ...(stream ? { stream } : undefined),
    };
    this.checkTurn(turn);
    const flowStates = this.#store(local.services ?? {});
    const services = servicesHere({ ...local.services, flowStates });
    const run = new LocalRun(
      { kind: "flow", name: this.#name, inputs: turn.inputs ?? {} },
      {
        run: (scope) => runTurn(scope, this.#talk, { turn, store: flowStates }),
        isRecorded: true,
        tasks: [],
      },
      { ...local, services },
    );
    const attended = async (output: Promise<TurnOutput>): Promise<TurnOutput> => {
      try {
        return await output;
      } catch (error) {
        const { finishedAt } = await run.status();
        if (finishedAt === undefined)
          await run.cancel("a run without a person waits for an answer");
        const kept = new Sessions(flowStates, this.#name);
        const holder = await kept.holder(turn.sessionId);
        if (holder?.runId === run.id)
          await kept.release({ ...holder, sessionId: turn.sessionId }, systemClock.now());
        throw error;
      }
    };
    return { run, attended };
  }
}

/** Step for the claim of a turn that is its own run. */
const SESSION_STEP = "session";

function readEntry(entry: JsonObject): Omit<Turn, "inputs"> {
  const parsed = recorded.safeParse(entry);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "invalid_input",
    `a run cannot be a turn of a conversation as ${preview(entry)}`,
    { issues: toIssues(parsed.error, entry) },
  );
}

/** A turn as a kickoff gives it: the message and the session's id stand among the inputs. */
function turnIn({ message, id, ...inputs }: JsonObject, newId: () => string): Turn {
  const turn = { message, sessionId: id ?? newId(), inputs };
  return turn as Turn; // checked when the turn runs
}

function isLabel(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function refused(path: string, expected: string, value: unknown): EngineError {
  const message = `must be ${expected}, got ${preview(value)}`;
  const field = path.slice(1).replace("/", ".");
  return new EngineError("invalid_input", `${field} ${message}`, { issues: [{ path, message }] });
}
