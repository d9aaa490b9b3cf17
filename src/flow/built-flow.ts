// A runnable flow, made by builder, decorators or data.
import { checkSources } from "../agent/description/check-sources.ts";
import { EngineError } from "../base/error.ts";
import type { FlowStore } from "./flow-store.ts";
import { preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { fromRecorded, toJson } from "../base/recorded.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { checkHooks } from "../hooks/hook.ts";
import { withServices } from "../events/run-services.ts";
import type { InputFiles } from "../files/file-source.ts";
import { localFileStore, startedFiles } from "../files/started-files.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-services.ts";
import { keySegment } from "../journal/step-key.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import { OutsideEvents } from "../runtime/outside-events.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { RunStream } from "../runtime/handle/run-stream.ts";
import type { Conversation, TurnOptions, TurnStream } from "./conversational/conversation.ts";
import type { Conversational } from "./conversational/conversational-decorator.ts";
import type { TurnOutput } from "./conversational/run-turn.ts";
import { flowPart } from "./flow-part.ts";
import { checkFlow, type FlowDefinition } from "./flow-definition.ts";
import { restoredFrom, type FlowStart } from "./flow-persistence.ts";
import { graphOf } from "./flow-graph.ts";
import { replayFlow, type FlowCheckpoint, type FlowReplay } from "./flow-replay.ts";
import { checkStart } from "./flow-state.ts";
import type { Picture, PlotFormat, PlotRequest } from "./plot/picture.ts";
import { checkPersistence, ownStore } from "./own-store.ts";
import type { ServedFlow } from "./served-flow.ts";
import { restoreEntry } from "./restore-entry.ts";
import { runFlow, type FlowRecord, type RunnableFlow } from "./run-flow.ts";

/** Output of a flow: the result of the last ended method, and the final state. */
export type FlowOutput<State> = {
  readonly value: JsonValue;
  readonly state: State & { readonly id: string };
};

/** Options of a flow's kickoff. */
export type FlowKickoff = {
  /**
   * Merged into the state before the first method runs. If the flow persists, `id` restores the state stored under it.
   * @default {}
   */
  readonly inputs?: JsonObject;
  /**
   * Files, by name: paths, ids, URLs, bytes, or values of `file()`. Short for inputs of the form `{ "$file": … }`,
   * which take precedence. A crew or an agent with such a value among its inputs gets the file.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** Starts with the newest state stored under this flow id. The run stores its own under `inputs.id`, or a new id. */
  readonly restoreFromStateId?: string;
  /** Continues from a checkpoint of another run of this flow, in a new run. Excludes `restoreFromStateId`. */
  readonly fromCheckpoint?: FlowCheckpoint;
};

/** Options for pictures of a flow. */
export type PlotOptions = {
  /** `"html"` is a complete page, `"svg"` a picture, `"mermaid"` text, `"json"` the structure. @default "html" */
  readonly format?: PlotFormat;
};

/** A runnable flow. A value: one serves any number of concurrent runs. */
export class BuiltFlow<State = JsonObject> implements ServedFlow {
  readonly definition: FlowDefinition;
  /** Operations of a conversational flow; undefined for others. */
  readonly conversation: Conversation | undefined;
  readonly #runnable: RunnableFlow;
  readonly #source: Omit<RunnableFlow, "graph">;
  readonly #turns: Turns | undefined;

  constructor(source: Omit<RunnableFlow, "graph">, turns?: Turns) {
    this.#source = source;
    this.#turns = turns;
    const conversational = conversationalOf(turns?.conversational, source.definition.name);
    const flow = conversational?.extend(source) ?? source;
    checkFlow(flow.definition);
    checkPersistence(flow.definition.name, flow.persistence);
    checkHooks(flow.hooks, `flow "${flow.definition.name}"`);
    checkSources({ memory: flow.memory }, `flow "${flow.definition.name}"`);
    this.definition = flow.definition;
    this.#runnable = { ...flow, graph: graphOf(flow.definition) };
    this.conversation = conversational?.open(this.#runnable, turns?.owns ?? (() => false));
  }

  get name(): string {
    return this.definition.name;
  }

  /** Parts of the flow, for another way to run its methods. */
  get parts(): RunnableFlow {
    return this.#runnable;
  }

  /** Returns the flow under its registered name, if its own name is only a class name: minifiers change class names. */
  registeredAs(name: string): BuiltFlow<State> {
    const { isUnnamed, definition } = this.#source;
    if (isUnnamed !== true || definition.name === name) return this;
    const named = { ...this.#source, definition: { ...definition, name } };
    return new BuiltFlow<State>(named, this.#turns);
  }

  /** The flow itself, as on objects of flow classes. */
  get flow(): this {
    return this;
  }

  /** Runs the flow and returns its output. Inside another flow, a tool or a crew it joins the current run. */
  async kickoff(kickoff: FlowKickoff & LocalRunOptions = {}): Promise<FlowOutput<State>> {
    const scope = RunScope.current();
    if (scope !== undefined && kickoff.fromCheckpoint !== undefined)
      throw new EngineError(
        "conflict",
        "a flow that is part of a run cannot continue from another run's checkpoint: use replay() outside that run",
      );
    if (scope === undefined) {
      const run = await this.#begun(kickoff);
      return (await run.outputUnattended()) as FlowOutput<State>;
    }
    const here = scopeHere(scope.atNext(`flow:${keySegment(this.name)}`));
    const files = startedFiles(kickoff.inputFiles, here.services);
    const place = here.offering(files.services);
    const start = startOf(kickoff, files.inputs);
    const record =
      this.conversation === undefined
        ? await runFlow(place, this.#runnable, start)
        : await this.conversation.program().run(place, start.inputs);
    return outputOf<State>(record);
  }

  /** Starts a run in this process and returns its handle. */
  start({ fromCheckpoint, ...kickoff }: FlowKickoff & LocalRunOptions = {}): RunHandle<FlowRecord> {
    if (fromCheckpoint !== undefined)
      throw new EngineError(
        "invalid_input",
        "start() starts a new run: use replay() or kickoff() to continue from a checkpoint",
      );
    return this.#localStart(kickoff);
  }

  /**
   * Streams the text of the flow's models and ends with its output. The run starts in this process on the first read of
   * the stream.
   */
  stream(kickoff: FlowKickoff & LocalRunOptions = {}): RunStream<FlowOutput<State>> {
    return new RunStream(() => {
      const handle = this.start(kickoff);
      return { handle, result: async () => (await handle.output()) as FlowOutput<State> };
    });
  }

  /**
   * Starts a new run from a point of another run in this process: the start of a method, or a checkpoint. Records up to
   * this point are copied. The new run has its own state id; returns its handle.
   */
  replay(
    run: RunHandle,
    options: FlowReplay & Omit<LocalRunOptions, "id">,
  ): Promise<RunHandle<FlowRecord>> {
    return replayFlow(this, run, options);
  }

  /**
   * Throws `invalid_input` with one issue for each input that does not fit the state. Fields a restored state may have
   * are not required.
   */
  checkKickoff(inputs: JsonObject, restoreFromStateId?: string): void {
    if (this.conversation !== undefined) return this.conversation.checkKickoff(inputs);
    const restores = restoredFrom(this.#runnable, { inputs, restoreFromStateId }) !== undefined;
    checkStart(this.#runnable, inputs, { restores });
  }

  /** Takes a turn of a conversation. Inside another flow, a tool or a crew it joins the current run. */
  handleTurn(message: string, options?: TurnOptions & LocalRunOptions): Promise<TurnOutput> {
    return talking(this).handleTurn(message, options);
  }

  /** Starts a turn as a run in this process and returns its handle: for turns that wait for people. */
  startTurn(message: string, options?: TurnOptions & LocalRunOptions): RunHandle<TurnOutput> {
    return talking(this).startTurn(message, options);
  }

  /** A turn's frames as they come, the words of models among them. */
  streamTurn(message: string, options?: TurnOptions & LocalRunOptions): TurnStream {
    return talking(this).streamTurn(message, options);
  }

  /** Returns the state store for the tenant of these services: the flow's own store, or the deployment's. */
  statesIn(services: RunServices): FlowStore | undefined {
    const { persistence } = this.#runnable;
    return persistence ? ownStore(this.name, persistence, services) : services.flowStates;
  }

  /** Makes the Worker's part for flows. It comes with the flows, so a Worker without flows does not contain it. */
  get part(): typeof flowPart {
    return flowPart;
  }

  /** Returns the flow's program for a host. `entry` is the start data of the run beside its inputs. */
  program(entry?: JsonObject): RunProgram<FlowRecord> {
    if (this.conversation !== undefined) return this.conversation.program(entry);
    const { restoreFromStateId } = (entry ?? {}) as { restoreFromStateId?: string };
    return {
      run: (scope, inputs) => runFlow(scope, this.#runnable, { inputs, restoreFromStateId }),
      isRecorded: true,
      outsideEvents: (host) => new OutsideEvents(host),
      tasks: [],
    };
  }

  /** The flow as a picture: a page with everything in it, an SVG, Mermaid's text, or its structure as JSON. */
  async plot({ format = "html" }: PlotOptions = {}): Promise<string> {
    return (await this.picture({ format })).body;
  }

  /** Returns a picture for the API: of the flow, of a run of it, or `locked`, a page that asks for a key. */
  async picture(request: PlotRequest | "locked"): Promise<Picture> {
    const { drawPicture, lockedPicture } = await import("./plot/picture.ts");
    return request === "locked" ? lockedPicture() : drawPicture(this.definition, request);
  }

  async #begun(kickoff: FlowKickoff & LocalRunOptions): Promise<LocalRun<FlowRecord>> {
    const { fromCheckpoint, inputs, restoreFromStateId } = kickoff;
    if (fromCheckpoint === undefined) return this.#localStart(kickoff);
    refuseBoth(restoreFromStateId);
    const { run, checkpoint } = fromCheckpoint;
    const point = checkpoint === undefined ? {} : { fromCheckpoint: checkpoint };
    return replayFlow(this, run, { ...this.#localOptions(kickoff), ...point, inputs });
  }

  #localStart(kickoff: FlowKickoff & LocalRunOptions): LocalRun<FlowRecord> {
    const { services: offered = {}, ...options } = this.#localOptions(kickoff);
    const files = startedFiles(kickoff.inputFiles, offered);
    const store = localFileStore(kickoff.inputFiles, offered);
    const services = withServices(offered, { ...files.services, ...store });
    return this.#local(startOf(kickoff, files.inputs), { ...options, services });
  }

  #localOptions(kickoff: FlowKickoff & LocalRunOptions): LocalRunOptions {
    const { inputs: _, inputFiles: _files, restoreFromStateId: __, ...rest } = kickoff;
    const { fromCheckpoint: ___, ...options } = rest;
    return { ...options, services: servicesHere(options.services ?? {}) };
  }

  #local(start: FlowStart, options: LocalRunOptions): LocalRun<FlowRecord> {
    const { inputs, restoreFromStateId } = start;
    const entry = restoreFromStateId === undefined ? undefined : restoreEntry(restoreFromStateId);
    const begin = { kind: "flow" as const, name: this.name, inputs };
    return new LocalRun(
      entry === undefined ? begin : { ...begin, entry },
      this.program(entry),
      options,
    );
  }
}

/** Conversational settings of a flow, and the methods it defines itself. */
type Turns = {
  readonly conversational: Conversational | undefined;
  readonly owns: (method: string) => boolean;
};

function conversationalOf(option: unknown, flow: string): Conversational | undefined {
  if (option === undefined) return undefined;
  if (typeof option === "function" && "extend" in option) return option as Conversational;
  throw new EngineError(
    "invalid_definition",
    `flow "${flow}": conversational must be the result of conversational({ ... }) of edgecrew/flow, got ${preview(option)}`,
  );
}

function talking({
  conversation,
  name,
}: {
  readonly conversation: Conversation | undefined;
  readonly name: string;
}): Conversation {
  if (conversation !== undefined) return conversation;
  throw new EngineError(
    "conflict",
    `flow "${name}" is not conversational and takes no turns: use conversational() of edgecrew/flow, or start it with kickoff()`,
  );
}

/**
 * Returns a flow's output with its state typed by the schema. The state was checked against the schema at every
 * method's end.
 */
function outputOf<State>(record: FlowRecord): FlowOutput<State> {
  return fromRecorded(record) as FlowOutput<State>;
}

/** Files are inputs too; an input takes precedence over one. */
function startOf({ inputs = {}, restoreFromStateId }: FlowKickoff, files: JsonObject): FlowStart {
  const all = toJson({ ...files, ...inputs }, "inputs") as JsonObject;
  return { inputs: all, restoreFromStateId };
}

/** Throws `invalid_input` when a state is named beside a checkpoint. */
function refuseBoth(restoreFromStateId: string | undefined): void {
  if (restoreFromStateId === undefined) return;
  throw new EngineError(
    "invalid_input",
    `fromCheckpoint and restoreFromStateId cannot be combined: the first continues a run, the second starts from a saved state; got both, with restoreFromStateId ${preview(restoreFromStateId)}`,
  );
}
