// The operations on tasks, whatever the binding: A2A 1.0 section 3.1.
//
//   AO1. The id of a message, its sender and its agent are the task's identity: the same message again is the same task, and another
//        one of the same id is refused.
//   AO2. A task is found by those who call the agent that it is of, within their tenant; anybody else's is not found.
//   AO3. A message to a task answers what it waits for. A task that has ended, or asks for nothing, takes none.
//   AO4. Contexts belong to one agent. A client's context id is taken, or refused, never replaced.
import { sleep } from "../../base/clock.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import type { PartHost } from "../../parts/part.ts";
import {
  isTerminal,
  STREAMED_CONTEXT,
  type Run,
  type RunSnapshot,
  type Wait,
} from "../../runtime/run.ts";
import type { ExposedSubject } from "../exposure.ts";
import { runIdFor, type ProtocolCaller, type ProtocolRuns } from "../protocol-runs.ts";
import { openWaits, questionsOf } from "../run-state.ts";
import type { ThreadMessage, ThreadRun, ThreadRunQuery } from "../thread-store.ts";
import { canonicalJson } from "./card-signing.ts";
import { A2aError } from "./errors.ts";
import { overlaps } from "./media-types.ts";
import { inputModesOf, optionsOf, outputModesOf, type A2aOptions } from "./options.ts";
import { ARTIFACT_EVENT, pushTarget, shownPush, type ShownPushConfig } from "./push.ts";
import type {
  Message,
  ParamsOf,
  PushConfig,
  SendRequest,
  SendResponse,
  StreamResponse,
  Task,
  TaskPage,
  WireState,
} from "./schema.ts";
import { a2aResultOf, askedBy } from "./task-result.ts";
import { taskUpdates } from "./task-stream.ts";
import {
  artifactsOf,
  isFinal,
  replyOf,
  statusOf,
  wireStateOf,
  type TaskNotes,
  type TaskSource,
} from "./task-view.ts";
import {
  keptMessage,
  messageAgain,
  responseSchemaOf,
  readMessage,
  withAppendix,
  type ReadMessage,
} from "./read-message.ts";

/** One call of an operation. */
export type A2aCall = {
  readonly caller: ProtocolCaller;
  readonly exposed: ExposedSubject;
  /** The extensions that the caller has activated. */
  readonly extensions: readonly string[];
  /** The webhook format of the version that is spoken. */
  readonly pushFormat: string;
};

/** A task that was begun, or went on. */
type Begun = {
  readonly thread: ThreadRun;
  /** Where its stream begins; undefined for one that was there before. */
  readonly from?: { readonly after: number; readonly task: Task; readonly waits: readonly Wait[] };
};

const WAIT_MS = 55_000;
/** How long a stream of an agent that may answer with a message holds its first event back. */
const REPLY_MS = 1_000;
const PAGE_SIZE = 20;
/** Of a task, in messages. */
const MAX_HISTORY = 100;
/** Runs that are asked at once. */
const WIDTH = 5;
/** The index may have been read of a change a moment before its event. */
const CLOCK_GRAIN_MS = 1_000;
const MAX_ATTEMPTS = 4;
const ATTEMPT_PAUSE_MS = 250;
const MAX_REFERENCE_LENGTH = 20_000;

export class A2aTasks {
  readonly #runs: ProtocolRuns;
  readonly #host: PartHost;
  readonly #options: A2aOptions;
  readonly #filter: TaskSource["filter"];

  constructor(
    runs: ProtocolRuns,
    host: PartHost,
    { options, filter }: { readonly options: A2aOptions; readonly filter: TaskSource["filter"] },
  ) {
    this.#runs = runs;
    this.#host = host;
    this.#options = options;
    this.#filter = filter;
  }

  async send(call: A2aCall, request: SendRequest): Promise<SendResponse> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    const { thread } = await this.#begin(call, request, { isStreamed: false });
    const { tenant } = call.caller;
    if (!returnImmediately)
      await this.#settled(tenant, thread.runId, this.#options.waitMs ?? WAIT_MS);
    const source = await this.#source(tenant, thread);
    const message = replyOf(source);
    if (message !== undefined && !returnImmediately) return { message };
    return { task: await this.#task(tenant, source, { historyLength }) };
  }

  /** The first event, and all that follow. Whatever refuses the message is thrown before. */
  async stream(
    call: A2aCall,
    request: SendRequest,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamResponse>> {
    const { thread, from } = await this.#begin(call, request, { isStreamed: true });
    const { tenant } = call.caller;
    if (optionsOf(call.exposed).replies === true && from !== undefined) {
      await this.#settled(tenant, thread.runId, REPLY_MS);
      const message = replyOf(await this.#source(tenant, thread));
      if (message !== undefined) return only({ message });
    }
    return from === undefined
      ? this.#updatesFromNow(tenant, thread, signal)
      : this.#updates(tenant, thread, { ...from, signal });
  }

  async get(call: A2aCall, { id, historyLength }: ParamsOf<"GetTask">): Promise<Task> {
    const { tenant } = call.caller;
    const source = await this.#source(tenant, await this.#find(call, id));
    return this.#task(tenant, source, { historyLength });
  }

  async list(call: A2aCall, params: ParamsOf<"ListTasks">): Promise<TaskPage> {
    const { tenant } = call.caller;
    const { kind, name } = call.exposed;
    const { contextId, pageSize = PAGE_SIZE, statusTimestampAfter, includeArtifacts } = params;
    const { historyLength = 0 } = params;
    const state = params.status === "TASK_STATE_UNSPECIFIED" ? undefined : params.status;
    const { items, total } = await this.#runs.threads.list(tenant, {
      protocol: "a2a",
      subject: { kind, name },
      threadId: contextId === "" ? undefined : contextId,
      ...(state === undefined ? undefined : rowsOf(state)),
      updatedSinceMs:
        statusTimestampAfter === undefined ? undefined : statusTimestampAfter - CLOCK_GRAIN_MS,
      after: afterOf(params.pageToken),
      limit: pageSize + 1,
    });
    const page = items.slice(0, pageSize);
    const found = await mapAtMost(page, WIDTH, async (row) => {
      try {
        const source = await this.#source(tenant, row);
        return [
          await this.#task(tenant, source, {
            historyLength,
            includeArtifacts: includeArtifacts === true,
          }),
        ];
      } catch (error) {
        if (EngineError.is(error) && error.code === "not_found") return [];
        throw error;
      }
    });
    // A run knows more than the index: what has changed since is read as it is now, or left out where it no longer fits.
    const tasks = found
      .flat()
      .filter(({ status }) => state === undefined || status.state === state)
      .filter(({ status }) => Date.parse(status.timestamp ?? "") >= (statusTimestampAfter ?? 0))
      .toSorted((a, b) => ((a.status.timestamp ?? "") < (b.status.timestamp ?? "") ? 1 : -1));
    const last = page.at(-1);
    return {
      tasks,
      nextPageToken:
        items.length > page.length && last !== undefined
          ? cursorAfter(`${last.updatedAtMs}:${last.runId}`)
          : "",
      pageSize,
      totalSize: total,
    };
  }

  async cancel(call: A2aCall, { id }: ParamsOf<"CancelTask">): Promise<Task> {
    const { tenant } = call.caller;
    const thread = await this.#find(call, id);
    try {
      await this.#host.runs.cancel(tenant, thread.runId, "its caller has cancelled the task");
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
      throw new A2aError(
        "TaskNotCancelable",
        `task ${thread.runId} has ended and cannot be canceled`,
      );
    }
    return this.#task(tenant, await this.#source(tenant, thread), {});
  }

  async subscribe(
    call: A2aCall,
    { id }: ParamsOf<"SubscribeToTask">,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamResponse>> {
    const { tenant } = call.caller;
    const thread = await this.#find(call, id);
    const { run } = await this.#snapshot(tenant, thread.runId);
    if (isTerminal(run.status))
      throw new A2aError(
        "UnsupportedOperation",
        `task ${id} has ended: there is nothing to subscribe to`,
      );
    return this.#updatesFromNow(tenant, thread, signal);
  }

  async createPush(
    call: A2aCall,
    config: PushConfig & { readonly taskId: string },
  ): Promise<ShownPushConfig> {
    const { tenant } = call.caller;
    const thread = await this.#find(call, config.taskId);
    const target = await this.#target(call, thread, config);
    return shownPush(thread.runId, await this.#host.runs.addWebhook(tenant, thread.runId, target));
  }

  async getPush(
    call: A2aCall,
    { taskId, id }: ParamsOf<"GetTaskPushNotificationConfig">,
  ): Promise<ShownPushConfig> {
    const { configs } = await this.listPush(call, { taskId });
    const config = configs.find((each) => each.id === id);
    if (config !== undefined) return config;
    throw new A2aError(
      "TaskNotFound",
      `task ${taskId} has no push notification configuration ${id}`,
    );
  }

  async listPush(
    call: A2aCall,
    {
      taskId,
      pageSize,
      pageToken,
    }: { taskId: string; pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<{ readonly configs: readonly ShownPushConfig[]; readonly nextPageToken: string }> {
    const { tenant } = call.caller;
    const thread = await this.#find(call, taskId);
    const targets = await this.#host.runs.webhooks(tenant, thread.runId);
    const all = targets.filter(({ about }) => about?.["contextId"] !== undefined);
    const after = pageToken === undefined || pageToken === "" ? undefined : keyOfCursor(pageToken);
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const page = all.slice(start, start + (pageSize ?? all.length));
    const last = page.at(-1);
    return {
      configs: page.map((target) => shownPush(thread.runId, target)),
      nextPageToken: last === undefined || last === all.at(-1) ? "" : cursorAfter(last.id),
    };
  }

  async deletePush(
    call: A2aCall,
    { taskId, id }: ParamsOf<"DeleteTaskPushNotificationConfig">,
  ): Promise<object> {
    const thread = await this.#find(call, taskId);
    await this.#host.runs.removeWebhook(call.caller.tenant, thread.runId, id);
    return {};
  }

  #begin(call: A2aCall, request: SendRequest, how: { isStreamed: boolean }): Promise<Begun> {
    const modes = request.configuration?.acceptedOutputModes ?? [];
    if (!overlaps(modes, outputModesOf(call.exposed)))
      throw new A2aError(
        "ContentTypeNotSupported",
        `this agent answers with ${outputModesOf(call.exposed).join(", ")}, which is not among the accepted output modes`,
      );
    return request.message.taskId === undefined
      ? this.#start(call, request, how)
      : this.#goOn(call, request, request.message.taskId);
  }

  async #start(
    call: A2aCall,
    request: SendRequest,
    { isStreamed }: { isStreamed: boolean },
  ): Promise<Begun> {
    const { caller, exposed, extensions } = call;
    const { tenant, callerId } = caller;
    const { kind, name } = exposed;
    const { message, configuration } = request;
    const id = runIdFor("a2a", callerId, `${kind}/${name}`, message.messageId);
    const digest = digestOf(message);
    const known = await this.#runs.threads.get(tenant, id);
    if (known !== undefined && notesOf(known).digest !== digest) throw usedId(message);
    if (message.contextId !== undefined) await this.#checkContext(call, message.contextId);
    const schema = responseSchemaOf(message);
    const read = await this.#read(call, message, schema);
    const { request: requestInput } = optionsOf(exposed);
    const { acceptedOutputModes: modes, taskPushNotificationConfig: push } = configuration ?? {};
    const notes: TaskNotes = {
      digest,
      ...(modes === undefined || modes.length === 0 ? undefined : { modes }),
      ...(schema === undefined ? undefined : { schema }),
      ...(extensions.length === 0 ? undefined : { extensions }),
    };
    const contextId = message.contextId ?? id;
    const about = requestInput && {
      [requestInput]: {
        ...keptMessage(message),
        contextId,
        ...(modes === undefined ? undefined : { acceptedOutputModes: modes }),
        ...(request.metadata === undefined ? undefined : { requestMetadata: request.metadata }),
      },
    };
    const target =
      push && (await this.#target(call, { runId: id, threadId: contextId, notes }, push));
    const { run, isNew } = await this.#runs.start(caller, exposed, {
      id,
      ...(message.contextId === undefined ? undefined : { threadId: message.contextId }),
      messages: said(read, message),
      data: { ...read.data, ...about },
      ...(isStreamed ? { context: STREAMED_CONTEXT } : undefined),
      ...(target === undefined ? undefined : { webhooks: [target] }),
      own: notes as unknown as JsonObject,
    });
    const thread = (await this.#runs.threads.get(tenant, id)) as ThreadRun;
    if (!isNew) return { thread };
    const snapshot = {
      run: { ...run, status: "queued", waits: [] } as Run,
      at: run.createdAt,
      events: [],
    };
    const source = this.#sourceOf(thread, snapshot);
    const task = await this.#task(tenant, source, { historyLength: configuration?.historyLength });
    return { thread, from: { after: 0, task, waits: [] } };
  }

  async #goOn(
    call: A2aCall,
    { message, configuration }: SendRequest,
    taskId: string,
  ): Promise<Begun> {
    const { tenant } = call.caller;
    const thread = await this.#find(call, taskId);
    const { runId } = thread;
    if (message.contextId !== undefined && message.contextId !== thread.threadId)
      throw new A2aError(
        "InvalidParams",
        `task ${taskId} belongs to another context than ${message.contextId}`,
      );
    const before = await this.#runs.threads.messages(tenant, { runId }, MAX_HISTORY);
    const known = before.find(({ id }) => id === message.messageId);
    if (known !== undefined) {
      if (known.data?.["digest"] !== digestOf(message)) throw usedId(message);
      return { thread };
    }
    const snapshot = await this.#snapshot(tenant, runId);
    const { run } = snapshot;
    const wait = waitFor(run, message);
    const read = readMessage(message, this.#taking(call, { isTalking: false }));
    const whole = askedBy(wait).takesMessage;
    const push = configuration?.taskPushNotificationConfig;
    const target = push && (await this.#target(call, thread, push));
    if (target !== undefined) await this.#host.runs.addWebhook(tenant, runId, target);
    const [spoken] = said(read, message);
    await this.#runs.answer(
      tenant,
      { thread, run },
      {
        message: spoken as Omit<ThreadMessage, "runId" | "createdAtMs">,
        wait,
        data: whole ? (message as unknown as JsonValue) : dataOf(read),
      },
    );
    const working = { ...run, status: "running", waits: [] } as Run;
    const source = this.#sourceOf(thread, { ...snapshot, run: working });
    const task = await this.#task(tenant, source, { historyLength: configuration?.historyLength });
    return { thread, from: { after: snapshot.seq, task, waits: run.waits } };
  }

  async #read(
    call: A2aCall,
    message: Message,
    schema: JsonObject | undefined,
  ): Promise<ReadMessage> {
    const read = readMessage(message, this.#taking(call, {}));
    const references = await mapAtMost(message.referenceTaskIds ?? [], WIDTH, (id) =>
      this.#reference(call, id),
    );
    const appendix = [
      ...references.filter((each) => each !== ""),
      ...(schema === undefined
        ? []
        : [`Answer with JSON alone, which fits this JSON Schema:\n${JSON.stringify(schema)}`]),
    ].join("\n\n");
    // Beside inputs by name, words would be taken for one of them.
    const isInputs =
      call.exposed.subject.messagesInput === undefined &&
      (read.text === "" || read.text.trim().startsWith("{"));
    return isInputs ? read : withAppendix(read, appendix);
  }

  async #reference(call: A2aCall, id: string): Promise<string> {
    const thread = await this.#find(call, id);
    const { text } = a2aResultOf((await this.#snapshot(call.caller.tenant, thread.runId)).run);
    if (text === "") return `Task ${id}, which is referred to, has no result yet.`;
    return `The result of task ${id}, which is referred to:\n${text.slice(0, MAX_REFERENCE_LENGTH)}`;
  }

  #taking({ exposed, caller }: A2aCall, { isTalking }: { isTalking?: boolean }) {
    return {
      isTalking: isTalking ?? exposed.subject.messagesInput !== undefined,
      filesInput: optionsOf(exposed).files,
      inputModes: inputModesOf(exposed),
      outbound: this.#host.placeOf(caller.tenant).outbound,
    };
  }

  async #checkContext({ caller, exposed }: A2aCall, contextId: string): Promise<void> {
    const latest = await this.#runs.threads.latest(caller.tenant, {
      protocol: "a2a",
      threadId: contextId,
    });
    if (latest === undefined || (latest.kind === exposed.kind && latest.name === exposed.name))
      return;
    throw new A2aError(
      "InvalidParams",
      `the context ${contextId} cannot be used here: choose another id, or leave it out`,
    );
  }

  /** Throws `not_found` for a task of another agent, as for one that never was. */
  async #find({ caller, exposed }: A2aCall, id: string): Promise<ThreadRun> {
    const thread = /^[\w-]{1,64}$/.test(id)
      ? await this.#runs.threads.get(caller.tenant, id)
      : undefined;
    const isHere =
      thread?.protocol === "a2a" && thread.kind === exposed.kind && thread.name === exposed.name;
    if (thread === undefined || !isHere)
      throw new A2aError("TaskNotFound", `there is no task ${id.slice(0, 100)}`);
    return thread;
  }

  async #target(
    call: A2aCall,
    thread: Pick<ThreadRun, "runId" | "threadId"> & ({ data: JsonObject } | { notes: TaskNotes }),
    config: PushConfig,
  ) {
    const { runId: taskId, threadId: contextId } = thread;
    const notes = "notes" in thread ? thread.notes : notesOf(thread);
    const { tenant } = call.caller;
    if (!sendsPush(this.#options, this.#host))
      throw new A2aError("PushNotificationNotSupported", "this agent sends no push notifications");
    return pushTarget(
      config,
      { tenant, taskId, contextId, notes, format: call.pushFormat },
      this.#host,
    );
  }

  #snapshot(tenant: string, id: string): Promise<RunSnapshot> {
    return this.#again(() => this.#host.runs.snapshot(tenant, id, [ARTIFACT_EVENT]));
  }

  async #settled(tenant: string, id: string, timeoutMs: number): Promise<void> {
    const { clock } = this.#host;
    const untilMs = clock.now() + timeoutMs;
    await this.#again(() => this.#runs.settled(tenant, id, Math.max(0, untilMs - clock.now())));
  }

  /** Asks a run again that was moved or restarted while it was asked. */
  async #again<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++)
      try {
        return await ask();
      } catch (error) {
        const isMoved = EngineError.is(error) && error.code === "unavailable" && error.retryable;
        if (!isMoved || attempt === MAX_ATTEMPTS) throw error;
        await sleep(this.#host.clock, ATTEMPT_PAUSE_MS * attempt);
      }
  }

  async #source(
    tenant: string,
    thread: ThreadRun,
  ): Promise<TaskSource & { snapshot: RunSnapshot }> {
    const snapshot = await this.#snapshot(tenant, thread.runId);
    return { ...this.#sourceOf(thread, snapshot), snapshot };
  }

  #sourceOf(
    thread: ThreadRun,
    snapshot: TaskSource["snapshot"],
  ): TaskSource & { thread: ThreadRun } {
    const filter = this.#filter === undefined ? undefined : { filter: this.#filter };
    return { snapshot, contextId: thread.threadId, notes: notesOf(thread), ...filter, thread };
  }

  async #task(
    tenant: string,
    source: TaskSource & { readonly thread?: ThreadRun },
    {
      historyLength,
      includeArtifacts = true,
    }: { historyLength?: number | undefined; includeArtifacts?: boolean },
  ): Promise<Task> {
    const { snapshot, contextId } = source;
    const { id } = snapshot.run;
    const artifacts = includeArtifacts ? artifactsOf(source) : [];
    const history =
      historyLength === 0 ? [] : await this.#history(tenant, { id, contextId }, historyLength);
    const status = statusOf(source);
    await this.#label(tenant, source, status.state);
    return {
      id,
      contextId,
      status,
      ...(artifacts.length === 0 ? undefined : { artifacts }),
      ...(history.length === 0 ? undefined : { history }),
    };
  }

  /** Notes an end that the run's status does not tell, so that lists can be filtered by it. */
  async #label(
    tenant: string,
    { snapshot: { run }, thread }: TaskSource & { thread?: ThreadRun },
    state: WireState,
  ): Promise<void> {
    if (thread === undefined || run.status !== "completed" || state === "TASK_STATE_COMPLETED")
      return;
    if (thread.data["label"] === state) return;
    await this.#runs.threads.setData(tenant, run.id, { ...thread.data, label: state });
  }

  async #history(
    tenant: string,
    { id, contextId }: { id: string; contextId: string },
    length = MAX_HISTORY,
  ): Promise<readonly Message[]> {
    const limit = Math.min(length, MAX_HISTORY);
    const messages = await this.#runs.threads.messages(tenant, { runId: id }, MAX_HISTORY + 1);
    return messages
      .filter((message) => message.id !== "answer")
      .slice(-limit)
      .map((message): Message => {
        const { content, data, role } = message;
        const ids = { contextId, taskId: id };
        if (data?.["message"] !== undefined)
          return { ...messageAgain(data["message"] as JsonObject, content), ...ids };
        const text = typeof content === "string" ? content : JSON.stringify(content);
        return {
          messageId: `${id}:${message.id}`,
          role: role === "user" ? "ROLE_USER" : "ROLE_AGENT",
          parts: [{ text }],
          ...ids,
        };
      });
  }

  async *#updatesFromNow(
    tenant: string,
    thread: ThreadRun,
    signal: AbortSignal,
  ): AsyncGenerator<StreamResponse> {
    const source = await this.#source(tenant, thread);
    const task = await this.#task(tenant, source, {});
    const { seq: after, run } = source.snapshot;
    yield* this.#updates(tenant, thread, { after, task, waits: run.waits, signal });
  }

  async *#updates(
    tenant: string,
    thread: ThreadRun,
    { task, after, waits, signal }: NonNullable<Begun["from"]> & { readonly signal: AbortSignal },
  ): AsyncGenerator<StreamResponse> {
    yield { task };
    const { state } = task.status;
    if (isFinal(state) || state === "TASK_STATE_INPUT_REQUIRED") return;
    const { runId } = thread;
    const { snapshot: _, ...about } = this.#sourceOf(thread, {
      run: {} as Run,
      at: "",
      events: [],
    });
    yield* taskUpdates({
      ...about,
      taskId: runId,
      handle: this.#runs.handle(tenant, runId),
      latest: () => this.#snapshot(tenant, runId),
      after,
      state,
      waits,
      signal,
    });
  }
}

/** Whether a server sends push notifications. */
export function sendsPush({ pushNotifications = true }: A2aOptions, host: PartHost): boolean {
  return pushNotifications && host.webhooks !== undefined;
}

async function* only(response: StreamResponse): AsyncGenerator<StreamResponse> {
  yield response;
}

function notesOf({ data }: Pick<ThreadRun, "data">): TaskNotes {
  return data as unknown as TaskNotes;
}

/** What a message says, whatever the order of its members. */
function digestOf(message: Message): string {
  return sha256Hex(canonicalJson(message));
}

function usedId({ messageId }: Message): A2aError {
  return new A2aError(
    "InvalidParams",
    `the message id ${messageId.slice(0, 100)} was used for another message: give each message an id of its own`,
  );
}

function said(
  { content }: ReadMessage,
  message: Message,
): ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">> {
  const data = { message: keptMessage(message), digest: digestOf(message) };
  return [{ id: message.messageId, role: "user", content, data }];
}

/** What a message to a task answers. Throws an `A2aError` for a task that takes no message now. */
function waitFor(run: Run, { metadata }: Message): Wait {
  const state = wireStateOf(run);
  const key = metadata?.["wait"];
  const open = openWaits(run);
  const [first = open[0]] = questionsOf(run);
  const wait = typeof key === "string" ? open.find((each) => each.key === key) : first;
  const isAsking = state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED";
  if (isAsking && wait !== undefined) return wait;
  if (isAsking)
    throw new A2aError("InvalidParams", `the task does not wait for ${String(key).slice(0, 100)}`);
  throw new A2aError(
    "UnsupportedOperation",
    isFinal(state)
      ? `task ${run.id} has ended and takes no more messages: send one without a task id`
      : `task ${run.id} is at work and asks for nothing now`,
  );
}

function dataOf({ values }: ReadMessage): JsonValue | undefined {
  const [value] = values;
  return values.length > 1 ? values : value;
}

/** Which rows of the index a state stands for. */
function rowsOf(state: WireState): Pick<ThreadRunQuery, "statuses" | "isAsking" | "label"> {
  switch (state) {
    case "TASK_STATE_SUBMITTED":
      return { statuses: ["queued"] };
    case "TASK_STATE_WORKING":
      return { statuses: ["running", "waiting"] };
    case "TASK_STATE_INPUT_REQUIRED":
    case "TASK_STATE_AUTH_REQUIRED":
      return { statuses: ["waiting"], isAsking: true };
    case "TASK_STATE_COMPLETED":
      return { statuses: ["completed"], label: null };
    case "TASK_STATE_REJECTED":
      return { statuses: ["completed"], label: state };
    case "TASK_STATE_FAILED":
      return { statuses: ["failed"] };
    case "TASK_STATE_CANCELED":
      return { statuses: ["cancelled"] };
  }
}

function afterOf(token: string | undefined): ThreadRunQuery["after"] {
  if (token === undefined || token === "") return undefined;
  const [, at, runId] = /^(\d+):(.+)$/s.exec(keyOfCursor(token) ?? "") ?? [];
  if (at === undefined || runId === undefined)
    throw new A2aError("InvalidParams", "pageToken must be the nextPageToken of an earlier answer");
  return { updatedAtMs: Number(at), runId };
}
