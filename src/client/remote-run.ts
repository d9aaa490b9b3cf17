import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { CALL, methodClass } from "../base/method-class.ts";
import type { Graph } from "../wire/graph.ts";
import { graphFrom, type GraphOptions } from "./graph-request.ts";
import type { PlotFormat } from "../flow/plot/picture.ts";
import type { StartedRun } from "../parts/started-run.ts";
import type { Checkpoint, CheckpointDiff } from "../runtime/checkpoints.ts";
import type { ExportedRun } from "../runtime/export-run.ts";
import type { ForkPoint } from "../runtime/fork-request.ts";
import type { Page } from "../runtime/page.ts";
import type { HandleCaller, HandleMethods } from "../runtime/handle/run-handle.ts";
import type {
  HandleOperation,
  OperationInput,
  OperationResult,
} from "../runtime/run-operations.ts";
import type { Run } from "../runtime/run.ts";
import type { ForkFields } from "../starts/start-fields.ts";
import { MAX_FAILURES, mayRetry } from "./backoff.ts";
import { clientId } from "./client-id.ts";
import type { EventsNamed } from "./events-named.ts";
import { followRun, TERMINAL_EVENTS, type FollowOptions } from "./follow-run.ts";
import { READS } from "./run-reads.ts";
import { hasEnded } from "./store/run-state.ts";
import { readJson, type RequestOptions, type Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";

/** Maximum wait of one request for a run's end, in seconds. */
const POLL_SECONDS = 30;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Start of a fork, and its differences from the other run. */
export type ForkOptions = ForkPoint &
  ForkFields & {
    /** A name for the fork. */
    readonly branch?: string;
    /** Replace the other run's inputs. */
    readonly inputs?: JsonObject;
    /** Results of finished steps, by step key, in place of those that the fork takes over. */
    readonly replace?: Readonly<Record<string, JsonValue>>;
    /** Stored definition of the fork: the other run's, the present one of its name, or a version. @default "same" */
    readonly definition?: "same" | "present" | number;
  };

type Request = RequestOptions & { readonly path: string };

const post = (path: string, json: unknown = {}): Request => ({ path, method: "POST", json });

/** Each operation as a request below the run's path. */
const REQUESTS: {
  readonly [Name in HandleOperation]: (...input: OperationInput<Name>) => Request;
} = {
  status: () => ({ path: "" }),
  // An answer with an id of its own can be sent again after a lost receipt.
  resume: (answer) => ({ ...post("/resume", { id: clientId(), ...answer }), attempts: 3 }),
  sendEvent: ({ name, ...event }) => post(namedPath("/events", name), event),
  // A message with an id of its own can be sent again after a lost receipt.
  send: (message) => ({ ...post("/messages", { id: clientId(), ...message }), attempts: 3 }),
  messages: () => ({ path: "/messages?sent=true" }),
  withdraw: (messageId) => ({ path: namedPath("/messages", messageId), method: "DELETE" }),
  cancel: (reason) => post("/cancel", reason === undefined ? {} : { reason }),
  pause: () => post("/pause"),
  unpause: () => post("/unpause"),
  ...READS,
};

const RemoteOperations = methodClass<HandleCaller & HandleMethods>(REQUESTS);

/** A run over HTTP. Has no connection of its own, so any number of handles is fine. */
export class RemoteRun<Output = JsonValue> extends RemoteOperations {
  declare readonly id: string;
  /** For a front end, if the start asked for one. */
  declare readonly token: string | undefined;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, { token, id }: Pick<StartedRun, "id" | "token">) {
    super();
    this.id = id;
    this.token = token;
    this.#transport = transport;
    this.#path = namedPath("/runs", id);
  }

  override async [CALL]<Name extends HandleOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    const { path, ...request } = REQUESTS[operation](...input);
    const result: OperationResult<Name> = await this.#transport.json(this.#path + path, request);
    if (request.method !== undefined) this.#transport.pauses.wake(this.id);
    return result;
  }

  /**
   * Yields every stored event once, in order, up to the run's last, with token chunks in between. Continues after
   * any lost connection, and stays while the run waits. Rejects only if the Worker refuses; the signal ends it.
   */
  events<const Types extends readonly string[] = readonly string[]>(
    options: FollowOptions & { readonly types?: Types } = {},
  ): AsyncGenerator<EventsNamed<Types>> {
    const run = { id: this.id, path: this.#path, transport: this.#transport };
    return followRun(run, options) as AsyncGenerator<EventsNamed<Types>>;
  }

  /** Waits as long as the run takes, also while it waits for a person. Rejects after eight failed requests in a row. */
  async output(): Promise<Output> {
    let failures = 0;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      let restMs = 0;
      let run: Run | undefined;
      try {
        const response = await this.#transport.send(this.#path, {
          headers: { prefer: `wait=${POLL_SECONDS}` },
          attempts: 1,
          isSlow: true,
        });
        run = await readJson<Run>(response);
        failures = 0;
        // Pauses if the run waits, because then the Worker answers at once. A proxy that drops the header has the same
        // effect.
        if (run.status === "waiting" || !response.headers.has("preference-applied"))
          restMs = pauseMs;
        pauseMs = restMs === 0 ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, pauseMs * 2);
      } catch (error) {
        if (!mayRetry(error) || ++failures === MAX_FAILURES) throw error;
        restMs = this.#transport.pauseAfter(error, failures);
      }
      if (run !== undefined && hasEnded(run)) return outputOf(run) as Output;
      if (run?.status === "waiting" && (await this.#hearsEnd())) continue;
      if (restMs > 0 && (await this.#transport.pauses.pause(this.id, restMs)))
        pauseMs = FIRST_PAUSE_MS;
    }
  }

  /** Resolves to true once the run has ended; to false on platforms without readable streams. */
  async #hearsEnd(): Promise<boolean> {
    for await (const event of this.events({ types: [...TERMINAL_EVENTS] }))
      if (TERMINAL_EVENTS.has(event.type)) return true;
    return false;
  }

  /** Returns the run's graph, with the state of each node. `layout: false` leaves out coordinates. */
  graph(options: GraphOptions = {}): Promise<Graph> {
    return graphFrom(this.#transport, this.#path, options);
  }

  /** Returns the picture of a flow's run, with the state of each method. */
  async plot(format: PlotFormat = "svg"): Promise<string> {
    return (await this.#transport.send(`${this.#path}/plot`, { query: { format } })).text();
  }

  /** Lists the run's finished tasks, oldest first. `fork({ fromCheckpoint })` continues from any of them. */
  async checkpoints({
    values = false,
    after,
  }: {
    /** Adds the output of each task. */
    readonly values?: boolean;
    /** Only checkpoints after the one of this id. @default all */
    readonly after?: string | undefined;
  } = {}): Promise<readonly Checkpoint[]> {
    const path = `${this.#path}/checkpoints`;
    const all: Checkpoint[] = [];
    for (let cursor = after; ;) {
      const query = { cursor, values: values ? "1" : undefined };
      const page: Page<Checkpoint> = await this.#transport.json(path, { query });
      all.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  /** Compares two checkpoints. `run` is the run of `to`, if it is another one. */
  diff(from: string, to: string, { run }: { readonly run?: string } = {}): Promise<CheckpointDiff> {
    return this.#transport.json(`${this.#path}/checkpoints/diff`, { query: { from, to, run } });
  }

  /** Returns the run, its journal and its events as one document, for `replayRun` of `edgecrew/testing`. */
  export(): Promise<ExportedRun> {
    return this.#transport.json(`${this.#path}/export`, { isSlow: true });
  }

  /** Deletes the run once it is finished; needs an admin key. */
  async delete(): Promise<void> {
    await this.#transport.send(this.#path, { method: "DELETE" });
  }

  /** Starts a new run with everything this run has on record before a task or step. */
  fork(options: ForkOptions): Promise<RemoteRun> {
    return this.#begin("/fork", options);
  }

  /** Like `fork`. */
  replay(options: ForkOptions): Promise<RemoteRun> {
    return this.#begin("/replay", options);
  }

  /** Continues a failed run: a new run takes over its record, and repeats the failed call. */
  retry(options: ForkFields & Pick<ForkOptions, "branch"> = {}): Promise<RemoteRun> {
    return this.#begin("/retry", options);
  }

  async #begin(way: "/fork" | "/replay" | "/retry", options: ForkFields): Promise<RemoteRun> {
    const started = await this.#transport.json<StartedRun>(this.#path + way, post("", options));
    return new RemoteRun(this.#transport, started);
  }
}

function outputOf(run: Run): JsonValue {
  if (run.status === "completed") return run.output ?? null;
  throw run.error === undefined
    ? new EngineError("internal", `run ${run.id} is ${run.status} without an error`)
    : EngineError.fromRecord(run.error);
}
