// A flow that can be run: what builder, decorators and data make.
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
import type { Conversational } from "./conversational/conversational.ts";
import type { TurnOutput } from "./conversational/run-turn.ts";
import { flowPart } from "./flow-part.ts";
import { checkFlow, type FlowDefinition } from "./flow-definition.ts";
import { restoredFrom, type FlowStart } from "./flow-persistence.ts";
import { graphOf } from "./flow-graph.ts";
import { replayFlow, type FlowCheckpoint, type FlowReplay } from "./flow-replay.ts";
import { checkStart } from "./flow-state.ts";
import type { Picture, PlotFormat, PlotRequest } from "./plot/picture.ts";
import { checkPersistence, ownStore } from "./own-store.ts";
import { restoreEntry } from "./restore-entry.ts";
import { runFlow, type FlowRecord, type RunnableFlow } from "./run-flow.ts";

/** What a flow gave: the result of the method that ended last, and the state at the end. */
export type FlowOutput<State> = {
  readonly value: JsonValue;
  readonly state: State & { readonly id: string };
};

/** What a kickoff of a flow takes. */
export type FlowKickoff = {
  /**
   * Merged into the state before the first method runs. If the flow persists, `id` restores the state stored under it.
   * @default {}
   */
  readonly inputs?: JsonObject;
  /**
   * Files, by name: paths, ids, URLs, bytes, or what `file()` makes of these. Short for inputs of the form `{ "$file": … }`, which take
   * precedence. A crew or an agent that gets such a value among its inputs gets the file.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** Starts with the newest state stored under this flow id. The run stores its own under `inputs.id`, or a new id. */
  readonly restoreFromStateId?: string;
  /** Continues from a checkpoint of another run of this flow, in a new run. Excludes `restoreFromStateId`. */
  readonly fromCheckpoint?: FlowCheckpoint;
};

/** How a flow is drawn. */
export type PlotOptions = {
  /** `"html"` is a complete page, `"svg"` a picture, `"mermaid"` text, `"json"` the structure. @default "html" */
  readonly format?: PlotFormat;
};

/** A flow that can be run. A value: one serves any number of runs at once. */
export class BuiltFlow<State = JsonObject> {
  readonly definition: FlowDefinition;
  /** What can be done with a flow that takes turns; undefined for others. */
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

  /** What it is made of, for a flow that runs its methods in another way. */
  get parts(): RunnableFlow {
    return this.#runnable;
  }

  /** The flow by the name that it is found under, where its own is only that of a class: minifiers change those. */
  registeredAs(name: string): BuiltFlow<State> {
    const { isUnnamed, definition } = this.#source;
    if (isUnnamed !== true || definition.name === name) return this;
    const named = { ...this.#source, definition: { ...definition, name } };
    return new BuiltFlow<State>(named, this.#turns);
  }

  /** Itself: what it has in common with objects of flow classes. */
  get flow(): this {
    return this;
  }

  /** Runs the flow and answers what it gave. Inside another flow, a tool or a crew it joins the run that is under way. */
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

  /** The words that its models say, and at last what it gave. The run starts in this process when the stream is first read. */
  stream(kickoff: FlowKickoff & LocalRunOptions = {}): RunStream<FlowOutput<State>> {
    return new RunStream(() => {
      const handle = this.start(kickoff);
      return { handle, result: async () => (await handle.output()) as FlowOutput<State> };
    });
  }

  /**
   * Goes on from where another run of this process was: what was on record when a method began, or at a checkpoint, is taken over.
   * A new run with a state id of its own, and its handle.
   */
  replay(
    run: RunHandle,
    options: FlowReplay & Omit<LocalRunOptions, "id">,
  ): Promise<RunHandle<FlowRecord>> {
    return replayFlow(this, run, options);
  }

  /** Throws `invalid_input` with one issue for each input that does not fit the state. What a restored state may have is not missed. */
  checkKickoff(inputs: JsonObject, restoreFromStateId?: string): void {
    if (this.conversation !== undefined) return this.conversation.checkKickoff(inputs);
    const restores = restoredFrom(this.#runnable, { inputs, restoreFromStateId }) !== undefined;
    checkStart(this.#runnable, inputs, { restores });
  }

  /** Takes a turn of a conversation. Inside another flow, a tool or a crew it joins the run that is under way. */
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

  /** Where its states are, for the tenant of these services: a store of its own, or the deployment's. */
  statesIn(services: RunServices): FlowStore | undefined {
    const { persistence } = this.#runnable;
    return persistence ? ownStore(this.name, persistence, services) : services.flowStates;
  }

  /** Makes the part that a Worker needs to run flows: it comes along with the flows, and is in no Worker without any. */
  get part(): typeof flowPart {
    return flowPart;
  }

  /** What a host runs for this flow. `entry` is what the run was started with beside its inputs. */
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

  /** A picture as the API sends it, of the flow, of a run of it, or `locked`: a page that asks for a key. */
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

/** What makes a flow take turns, and which methods it has itself. */
type Turns = {
  readonly conversational: Conversational | undefined;
  readonly owns: (method: string) => boolean;
};

function conversationalOf(option: unknown, flow: string): Conversational | undefined {
  if (option === undefined) return undefined;
  if (typeof option === "function" && "extend" in option) return option as Conversational;
  throw new EngineError(
    "invalid_definition",
    `flow "${flow}": conversational must be what conversational({ ... }) of edgecrew/flow gives, got ${preview(option)}`,
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

/** A flow's output with its state as the schema types it: the state was checked against that whenever a method ended. */
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
