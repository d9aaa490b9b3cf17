// AG-UI 1.0: front ends call the app's agents, crews and flows.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { PROTOCOL_OPTION_NAMES } from "../protocol-option-names.ts";
import { ignoredHeader, type SettledSettings } from "../../parts/ignored-header.ts";
import { commonSettings } from "../caller-settings.ts";
import { digestText } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import { type JsonObject, type JsonValue, isJsonObject, preview } from "../../base/json.ts";
import { operation, type Operation, type OperationRequest } from "../../parts/operation.ts";
import type { Part, PartHost } from "../../parts/part.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { mayRead } from "../../parts/rights.ts";
import {
  PROTOCOL_MIGRATIONS,
  ProtocolRuns,
  runIdFor,
  type ProtocolOptions,
  type ProtocolStores,
} from "../protocol-runs.ts";
import { maySeeRun } from "../started-by.ts";
import { questionsOf, toolCallsOf } from "../run-state.ts";
import type { ThreadRun } from "../thread-store.ts";
import { RunCodec } from "./codec.ts";
import {
  conflictIsFine,
  continued,
  Refusal,
  openPart,
  waitingRuns,
  type Continued,
} from "./continuation.ts";
import { callerToolsOf, type ThreadRuns } from "./earlier-waits.ts";
import { eventStreamOf, frame, framesOf } from "./event-stream.ts";
import { runAgentInput, type RunInput } from "./schema.ts";
import type { ShowState } from "./shared-state.ts";
import { startOf, type FirstRequest } from "./start-request.ts";
import { threadOperations } from "./thread-operations.ts";
import { shownThread, type ShownThread } from "./thread.ts";
import {
  AG_UI_VERSION,
  finishedEvent,
  successOf,
  type AgUiEvent,
  type AgUiOutcome,
} from "./wire.ts";

/** Options of `agUi()`. */
export type AgUiOptions = ProtocolOptions & {
  /** Cancels a run when its front end leaves before the end of the stream. @default false */
  readonly cancelOnAbort?: boolean;
  /** Selects the part of a flow's state for front ends. @default all of it, except an `id` they did not send */
  readonly showState?: (state: JsonObject, flow: { readonly name: string }) => JsonValue;
};

const PROTOCOL = "ag-ui";

const OPTIONS = definitionOptions<AgUiOptions>("agUi()", {
  ...PROTOCOL_OPTION_NAMES,
  cancelOnAbort: true,
  showState: true,
});

/** Creates the part over these stores. Fails with `invalid_definition` for invalid options. */
export function agUiPart(options: AgUiOptions, stores: ProtocolStores): Part {
  refuseUnknownOptions(options, OPTIONS);
  return {
    name: "ag-ui",
    docs: "ag-ui.md",
    migrations: PROTOCOL_MIGRATIONS,
    bind: (host) => {
      const runs = new ProtocolRuns(PROTOCOL, host, { options, stores });
      return {
        operations: new AgUiServer(host, runs, options).operations,
        due: () => runs.due(),
      };
    },
  };
}

type Request = Pick<OperationRequest, "tenant" | "callerId" | "scopes" | "raw">;

class AgUiServer {
  readonly #host: PartHost;
  readonly #runs: ProtocolRuns;
  readonly #options: AgUiOptions;

  constructor(host: PartHost, runs: ProtocolRuns, options: AgUiOptions) {
    this.#host = host;
    this.#runs = runs;
    this.#options = options;
  }

  get operations(): readonly Operation[] {
    return [
      operation({
        group: "AG-UI",
        id: "runAgUi",
        method: "post",
        path: "/ag-ui/{name}",
        scope: "run",
        summary: "Run an agent, a crew or a flow for a front end",
        description:
          "AG-UI 1.0. The answer is a stream of the protocol's events, RUN_ERROR among them where the request fits the protocol and cannot be carried out.",
        headers: ["Last-Event-ID"],
        body: { name: "AgUiInput", schema: runAgentInput, required: true },
        answers: {
          200: {
            description: "The events of the run",
            types: ["text/event-stream"],
            headers: ["X-Edgecrew-Ignored"],
          },
        },
        problems: [400, 404, 413, 415, 429],
        sample: { needs: "something that is exposed to AG-UI" },
        example: {
          threadId: "example-thread",
          runId: "example-run",
          messages: [{ id: "1", role: "user", content: "What can you do?" }],
        },
        handle: async ({ body, params: { name = "" }, ...request }) => {
          const exposed = await this.#runs.exposure.find(request.tenant, name);
          try {
            return await this.#answer(request, exposed, body);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            const { message, code } = error;
            return this.#whole([{ type: "RUN_ERROR", message, code }]);
          }
        },
      }),
      ...threadOperations({
        threadOf: async (tenant, name, threadId) => {
          const exposed = await this.#runs.exposure.find(tenant, name);
          return { ...this.#thread(tenant, exposed, threadId), show: this.#show(exposed) };
        },
      }),
    ];
  }

  async #answer(request: Request, exposed: ExposedSubject, input: RunInput): Promise<Response> {
    checkVersion(input);
    const { tenant } = request;
    const { threadId, runId, messages, resume } = input;
    const of = this.#thread(tenant, exposed, threadId);
    await this.#checkThread(request, threadId);
    const id = runIdFor(PROTOCOL, tenant, exposed.kind, exposed.name, threadId, runId);
    const known = await this.#runs.threads.get(tenant, id);
    const identity = await digestText(JSON.stringify([messages, resume]));
    if (known?.data["request"] === identity)
      return this.#stream(request, exposed, { input, part: whole(known) });
    if (messages.length === 0 && resume.length === 0) {
      const open = await openPart(of);
      const shown = await shownThread(of, this.#show(exposed), open?.thread.runId);
      if (shown !== undefined && open !== undefined)
        return this.#stream(request, exposed, { input, part: open, shown });
      if (shown !== undefined || !startsWithout(input, exposed))
        return this.#showThread(input, shown);
    }
    const waiting = await waitingRuns(of);
    const part = await continued(of, input, waiting);
    if (part !== undefined && !(await this.#isNewAfterCancel(tenant, part, input)))
      return this.#stream(request, exposed, { input, part });
    if (known !== undefined)
      throw new Refusal(
        "conflict",
        `the run ${runId} of this thread was started with other messages: send a new runId`,
      );
    for (const { run } of waiting)
      if (questionsOf(run).length === 0 && toolCallsOf(run).length > 0)
        await this.#runs
          .handle(tenant, run.id)
          .cancel("the front end went on without the results of its tools")
          .catch(conflictIsFine);
    const settings = this.#settings(exposed, input);
    const thread = await this.#start(request, exposed, {
      id,
      input,
      identity,
      settings: settings.used,
    });
    const answer = this.#stream(request, exposed, { input, part: whole(thread) });
    for (const [name, value] of Object.entries(ignoredHeader(settings.ignored)))
      answer.headers.set(name, value);
    return answer;
  }

  /** Throws `Refusal` for a thread that another key has begun, unless the caller may read it. */
  async #checkThread({ tenant, callerId, scopes }: Request, threadId: string): Promise<void> {
    const latest = await this.#runs.threads.latest(tenant, { protocol: PROTOCOL, threadId });
    if (latest === undefined || maySeeRun({ callerId, mayRead: mayRead(scopes) }, latest)) return;
    throw new Refusal(
      "forbidden",
      `the thread ${preview(threadId)} was begun with another key: use a key with the scope "read", or another thread`,
    );
  }

  #settings(exposed: ExposedSubject, { forwardedProps }: RunInput): SettledSettings {
    const props = (forwardedProps ?? null) as JsonValue;
    const value = isJsonObject(props) ? props["settings"] : undefined;
    const place = { where: "/forwardedProps/settings", models: this.#host.models };
    try {
      return commonSettings(value, exposed, place);
    } catch (error) {
      if (EngineError.is(error)) throw new Refusal("invalid_input", error.message);
      throw error;
    }
  }

  /** True if the interrupts were cancelled and the user has sent a new message instead. */
  async #isNewAfterCancel(
    tenant: string,
    { thread }: Continued,
    input: RunInput,
  ): Promise<boolean> {
    const last = input.messages.at(-1);
    if (last?.role !== "user") return false;
    const { status } = await this.#runs.run(tenant, thread.runId);
    if (status !== "cancelled") return false;
    const said = await this.#runs.threads.messages(tenant, { runId: thread.runId }, 200);
    return said.every(({ id }) => id !== last.id);
  }

  async #start(
    { tenant, callerId }: Request,
    exposed: ExposedSubject,
    first: FirstRequest,
  ): Promise<ThreadRun> {
    try {
      await this.#runs.start({ tenant, callerId }, exposed, startOf(exposed, first));
    } catch (error) {
      if (EngineError.is(error) && (error.code === "invalid_input" || error.code === "conflict"))
        throw new Refusal(error.code, error.message);
      throw error;
    }
    const { thread } = await this.#runs.find(tenant, first.id);
    return thread;
  }

  #stream(
    { tenant, raw }: Request,
    exposed: ExposedSubject,
    {
      input,
      part,
      shown,
    }: {
      readonly input: RunInput;
      readonly part: Continued;
      readonly shown?: ShownThread;
    },
  ): Response {
    const { clock, report } = this.#host;
    const { thread, answered, after, results } = part;
    const { threadId, runId: requestId, parentRunId, protocolVersion, messages } = input;
    const { runId: id } = thread;
    const handle = this.#runs.handle(tenant, id);
    const abort = new AbortController();
    const codec = new RunCodec({
      id,
      threadId,
      requestId,
      parentRunId,
      protocolVersion,
      createdAtMs: thread.createdAtMs,
      messages: (shown?.messages ?? messages) as never,
      sendsMessages: shown !== undefined,
      callerTools: callerToolsOf(thread),
      results,
      answered,
      show: this.#show(exposed),
    });
    const frames = framesOf({
      handle,
      codec,
      after,
      lastEventId: raw.headers.get("last-event-id"),
      run: () => this.#runs.run(tenant, id),
      signal: abort.signal,
      report,
    });
    const left = async (): Promise<void> => {
      abort.abort();
      if (this.#options.cancelOnAbort === true)
        await handle.cancel("the front end has gone").catch(conflictIsFine);
    };
    return eventStreamOf(frames, { clock, left });
  }

  #showThread(input: RunInput, shown: ShownThread | undefined): Response {
    const { threadId, runId, protocolVersion } = input;
    const { messages = [], state, interrupts = [], pendingToolCallIds = [] } = shown ?? {};
    const outcome: AgUiOutcome =
      interrupts.length > 0
        ? { type: "interrupt", interrupts: [...interrupts] }
        : successOf(pendingToolCallIds);
    return this.#whole([
      { type: "RUN_STARTED", threadId, runId, protocolVersion: AG_UI_VERSION },
      ...(state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: state } as const]),
      { type: "MESSAGES_SNAPSHOT", messages: [...messages] },
      finishedEvent({ threadId, runId, protocolVersion, outcome }),
    ]);
  }

  #whole(events: readonly AgUiEvent[]): Response {
    const timestamp = this.#host.clock.now();
    async function* frames(): AsyncGenerator<string> {
      for (const event of events) yield frame({ ...event, timestamp });
    }
    return eventStreamOf(frames(), { clock: this.#host.clock, left: async () => undefined });
  }

  #thread(tenant: string, exposed: ExposedSubject, threadId: string): ThreadRuns {
    return { tenant, threadId, exposed, runs: this.#runs, nowMs: this.#host.clock.now() };
  }

  #show({ name }: ExposedSubject): ShowState {
    const { showState = (state) => state } = this.#options;
    return (state) => showState(state, { name });
  }
}

function whole(thread: ThreadRun): Continued {
  return { thread, answered: new Set(), after: 0 };
}

/** Other minor versions are compatible, because both sides ignore unknown members. */
function checkVersion({ protocolVersion }: RunInput): void {
  if (protocolVersion === undefined || /^1(?:\.\d+)*$/.test(protocolVersion)) return;
  throw new Refusal(
    "unsupported_protocol_version",
    `this server speaks AG-UI ${AG_UI_VERSION}, got protocolVersion ${preview(protocolVersion)}`,
  );
}

/** True if a request without messages starts a run: for subjects with data as their only input. */
function startsWithout({ state, forwardedProps }: RunInput, { subject }: ExposedSubject): boolean {
  if (subject.messagesInput !== undefined) return false;
  const { inputs } = isJsonObject(forwardedProps ?? null) ? (forwardedProps as JsonObject) : {};
  const data = inputs ?? state ?? null;
  return isJsonObject(data) && Object.keys(data).length > 0;
}
