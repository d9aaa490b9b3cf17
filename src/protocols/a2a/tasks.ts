// The operations on tasks, common to all bindings: A2A 1.0 section 3.1.
//
//   AO1. The id of a message, its sender and its agent identify a task: the same message again is the same task; see
//        message-ids.ts.
//   AO2. A task is visible to callers of its agent within their tenant, and not found for others. A key without `read`
//        sees the tasks started with it alone.
//   AO3. A message to a task answers its wait. A task that has ended, or has no question, refuses messages.
//   AO4. Contexts belong to one agent. A client's context id is accepted or refused, never replaced.
import { EngineError } from "../../base/error.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import type { PartHost } from "../../parts/part.ts";
import { isTerminal, type Run } from "../../runtime/run.ts";
import type { ProtocolRuns } from "../protocol-runs.ts";
import type { ThreadRun } from "../thread-store.ts";
import { TaskStarter, type Begun } from "./begin-task.ts";
import { A2AError } from "./errors.ts";
import { listTasks } from "./list-tasks.ts";
import { MessageIds } from "./message-ids.ts";
import { optionsOf, type A2AOptions } from "./options.ts";
import { shownPush, type ShownPushConfig } from "./push.ts";
import type {
  ParamsOf,
  PushConfig,
  SendRequest,
  SendResponse,
  StreamResponse,
  Task,
  TaskPage,
} from "./schema.ts";
import { TaskRecords, type A2ACall } from "./task-records.ts";
import { taskUpdates, type UpdatesFrom } from "./task-stream.ts";
import { isFinal, replyOf, type TaskSource } from "./task-view.ts";

const WAIT_MS = 55_000;
/** Delay of a stream's first event for an agent that may answer with a message, in milliseconds. */
const REPLY_MS = 1_000;
/** The same delay for a call with `returnImmediately`. */
const REPLY_AT_ONCE_MS = 250;

/** Conditions for the end of a stream before its task's end. */
type StreamEnd = Pick<UpdatesFrom, "signal" | "isOpen">;

export class A2ATasks {
  readonly #runs: ProtocolRuns;
  readonly #host: PartHost;
  readonly #options: A2AOptions;
  readonly #records: TaskRecords;
  readonly #ids: MessageIds;
  readonly #starter: TaskStarter;

  constructor(
    runs: ProtocolRuns,
    host: PartHost,
    { options, filter }: { readonly options: A2AOptions; readonly filter: TaskSource["filter"] },
  ) {
    this.#runs = runs;
    this.#host = host;
    this.#options = options;
    this.#records = new TaskRecords(runs, { host, filter });
    this.#ids = new MessageIds(runs);
    this.#starter = new TaskStarter(runs, host, {
      options,
      records: this.#records,
      ids: this.#ids,
    });
  }

  async send(call: A2ACall, request: SendRequest): Promise<SendResponse> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    const { thread } = await this.#starter.begin(call, request, {
      isStreamed: returnImmediately,
    });
    const { tenant } = call.caller;
    const { replies = false } = optionsOf(call.exposed);
    const waitMs = this.#options.waitMs ?? WAIT_MS;
    // Section 3.2.2: a call with `returnImmediately` still gets a message if the answer is one.
    const atMostMs = returnImmediately ? REPLY_AT_ONCE_MS : waitMs;
    if (!returnImmediately || replies)
      await this.#records.settled(tenant, thread.runId, Math.min(waitMs, atMostMs));
    const source = await this.#records.source(tenant, thread);
    const message = replyOf(source);
    if (message !== undefined && (replies || !returnImmediately)) return { message };
    return { task: await this.#records.task(tenant, source, { historyLength }) };
  }

  /** Streams the first event and all later ones. Throws before the stream if the message is refused. */
  async stream(
    call: A2ACall,
    request: SendRequest,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamResponse>> {
    const { thread, from } = await this.#starter.begin(call, request, { isStreamed: true });
    const { tenant } = call.caller;
    if (optionsOf(call.exposed).replies === true && from !== undefined) {
      await this.#records.settled(tenant, thread.runId, REPLY_MS);
      const message = replyOf(await this.#records.source(tenant, thread));
      if (message !== undefined) return only({ message });
    }
    return from === undefined
      ? this.#updatesFromNow(tenant, thread, { signal, isOpen: false })
      : this.#updates(tenant, thread, { ...from, signal, isOpen: false });
  }

  async get(call: A2ACall, { id, historyLength }: ParamsOf<"GetTask">): Promise<Task> {
    const { tenant } = call.caller;
    const source = await this.#records.source(tenant, await this.#records.find(call, id));
    return this.#records.task(tenant, source, { historyLength });
  }
  list(call: A2ACall, params: ParamsOf<"ListTasks">): Promise<TaskPage> {
    return listTasks(call, params, { threads: this.#runs.threads, records: this.#records });
  }

  async cancel(call: A2ACall, { id }: ParamsOf<"CancelTask">): Promise<Task> {
    const { tenant } = call.caller;
    const thread = await this.#ids.noteReceived(call, await this.#records.find(call, id));
    try {
      await this.#host.runs.cancel(tenant, thread.runId, "its caller has cancelled the task");
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
      throw new A2AError(
        "TaskNotCancelable",
        `task ${thread.runId} has ended and cannot be canceled`,
      );
    }
    return this.#records.task(tenant, await this.#records.source(tenant, thread), {});
  }

  async subscribe(
    call: A2ACall,
    { id }: ParamsOf<"SubscribeToTask">,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamResponse>> {
    const { tenant } = call.caller;
    const thread = await this.#records.find(call, id);
    const { run } = await this.#records.snapshot(tenant, thread.runId);
    if (isTerminal(run.status))
      throw new A2AError("UnsupportedOperation", `task ${id} has ended and has no further events`);
    return this.#updatesFromNow(tenant, thread, { signal, isOpen: true });
  }

  async createPush(
    call: A2ACall,
    config: PushConfig & { readonly taskId: string },
  ): Promise<ShownPushConfig> {
    const { tenant } = call.caller;
    const thread = await this.#records.find(call, config.taskId);
    const target = await this.#starter.target(call, thread, config);
    return shownPush(thread.runId, await this.#host.runs.addWebhook(tenant, thread.runId, target));
  }

  async getPush(
    call: A2ACall,
    { taskId, id }: ParamsOf<"GetTaskPushNotificationConfig">,
  ): Promise<ShownPushConfig> {
    const { configs } = await this.listPush(call, { taskId });
    const config = configs.find((each) => each.id === id);
    if (config !== undefined) return config;
    throw new A2AError(
      "TaskNotFound",
      `task ${taskId} has no push notification configuration ${id}`,
    );
  }

  async listPush(
    call: A2ACall,
    {
      taskId,
      pageSize,
      pageToken,
    }: { taskId: string; pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<{ readonly configs: readonly ShownPushConfig[]; readonly nextPageToken: string }> {
    const { tenant } = call.caller;
    const thread = await this.#records.find(call, taskId);
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
    call: A2ACall,
    { taskId, id }: ParamsOf<"DeleteTaskPushNotificationConfig">,
  ): Promise<object> {
    const thread = await this.#records.find(call, taskId);
    await this.#host.runs.removeWebhook(call.caller.tenant, thread.runId, id);
    return {};
  }
  async *#updatesFromNow(
    tenant: string,
    thread: ThreadRun,
    how: StreamEnd,
  ): AsyncGenerator<StreamResponse> {
    const source = await this.#records.source(tenant, thread);
    const task = await this.#records.task(tenant, source, {});
    const { seq: after, run } = source.snapshot;
    yield* this.#updates(tenant, thread, { after, task, waits: run.waits, ...how });
  }

  async *#updates(
    tenant: string,
    thread: ThreadRun,
    { task, after, waits, signal, isOpen }: NonNullable<Begun["from"]> & StreamEnd,
  ): AsyncGenerator<StreamResponse> {
    yield { task };
    const { state } = task.status;
    if (isFinal(state) || (state === "TASK_STATE_INPUT_REQUIRED" && !isOpen)) return;
    const { runId } = thread;
    const { snapshot: _, ...about } = this.#records.sourceOf(thread, {
      run: {} as Run,
      at: "",
      events: [],
    });
    yield* taskUpdates({
      ...about,
      taskId: runId,
      handle: this.#runs.handle(tenant, runId),
      latest: () => this.#records.snapshot(tenant, runId),
      after,
      state,
      waits,
      signal,
      isOpen,
    });
  }
}

async function* only(response: StreamResponse): AsyncGenerator<StreamResponse> {
  yield response;
}
