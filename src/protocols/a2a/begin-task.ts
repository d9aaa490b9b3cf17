// Starts tasks, and continues them with answers.
import { wishesContext } from "../../model-calls/caller-wishes.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { PartHost } from "../../parts/part.ts";
import type { SettledSettings } from "../../parts/ignored-header.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { taskContext } from "./task-events.ts";
import { commonSettings } from "../caller-settings.ts";
import { owedTo, type ProtocolRuns } from "../protocol-runs.ts";
import { maySeeRun } from "../started-by.ts";
import type { ThreadMessage, ThreadRun } from "../thread-store.ts";
import { answeredQuestion } from "./answered-question.ts";
import { A2AError } from "./errors.ts";
import { overlaps } from "./media-types.ts";
import { digestOf, usedId, type MessageIds } from "./message-ids.ts";
import { inputModesOf, optionsOf, outputModesOf, type A2AOptions } from "./options.ts";
import { pushTarget } from "./push.ts";
import {
  keptMessage,
  readMessage,
  responseSchemaOf,
  withAppendix,
  type ReadMessage,
} from "./read-message.ts";
import type { Message, PushConfig, SendRequest, Task } from "./schema.ts";
import { MAX_HISTORY, notesOf, type A2ACall, type TaskRecords } from "./task-records.ts";
import { a2aResultOf, askedBy } from "./task-result.ts";
import { wireStateOf, type TaskNotes } from "./task-view.ts";

/** A started or continued task. */
export type Begun = {
  readonly thread: ThreadRun;
  /** Start of its stream; undefined for an existing task. */
  readonly from?: { readonly after: number; readonly task: Task; readonly waits: readonly Wait[] };
};
/** Number of runs queried at once. */
const WIDTH = 5;
const MAX_REFERENCE_LENGTH = 20_000;

export class TaskStarter {
  readonly #runs: ProtocolRuns;
  readonly #host: PartHost;
  readonly #options: A2AOptions;
  readonly #records: TaskRecords;
  readonly #ids: MessageIds;

  constructor(
    runs: ProtocolRuns,
    host: PartHost,
    {
      options,
      records,
      ids,
    }: {
      readonly options: A2AOptions;
      readonly records: TaskRecords;
      readonly ids: MessageIds;
    },
  ) {
    this.#runs = runs;
    this.#host = host;
    this.#options = options;
    this.#records = records;
    this.#ids = ids;
  }

  /**
   * Starts the task of a message, or answers the named task. Throws an `A2AError` for a refused message. `isStreamed`
   * is true if its caller may follow the words, now or in a later subscription.
   */
  begin(call: A2ACall, request: SendRequest, how: { isStreamed: boolean }): Promise<Begun> {
    const modes = request.configuration?.acceptedOutputModes ?? [];
    if (!overlaps(modes, outputModesOf(call.exposed)))
      throw new A2AError(
        "ContentTypeNotSupported",
        `this agent answers with ${outputModesOf(call.exposed).join(", ")}, which is not among the accepted output modes`,
      );
    return request.message.taskId === undefined
      ? this.#start(call, request, how)
      : this.#goOn(call, request, request.message.taskId);
  }

  async #start(
    call: A2ACall,
    request: SendRequest,
    { isStreamed }: { isStreamed: boolean },
  ): Promise<Begun> {
    const { caller, exposed, extensions } = call;
    const { tenant } = caller;
    const { message, configuration } = request;
    const { id, digest, sender } = await this.#ids.place(call, message);
    if (message.contextId !== undefined) await this.#checkContext(call, message.contextId);
    const schema = responseSchemaOf(message);
    const read = await this.#read(call, message, schema);
    const settings = this.#settings(call, request);
    const { request: requestInput } = optionsOf(exposed);
    const { acceptedOutputModes: modes, taskPushNotificationConfig: push } = configuration ?? {};
    const notes: TaskNotes = {
      digest,
      sender,
      ...(modes === undefined || modes.length === 0 ? undefined : { modes }),
      ...(schema === undefined ? undefined : { schema }),
      ...(extensions.length === 0 ? undefined : { extensions }),
      ...(settings.ignored.length === 0 ? undefined : { ignored: settings.ignored }),
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
      push &&
      (await this.target(
        call,
        { runId: id, threadId: contextId, notes },
        withOwnId(push, message),
      ));
    const { run, isNew } = await this.#runs.start(caller, exposed, {
      id,
      ...(message.contextId === undefined ? undefined : { threadId: message.contextId }),
      messages: said(read, message),
      data: { ...read.data, ...about },
      context: {
        ...taskContext(contextId),
        ...wishesContext({ stream: isStreamed || undefined, settings: settings.used }),
      },
      ...(target === undefined ? undefined : { webhooks: [target] }),
      own: notes,
    });
    const thread = (await this.#runs.threads.get(tenant, id)) as ThreadRun;
    // Another message of this id came at the same time.
    if (notesOf(thread).digest !== digest) throw usedId(message);
    if (!isNew) {
      if (target !== undefined) await this.#host.runs.addWebhook(tenant, id, target);
      return { thread };
    }
    const snapshot = {
      run: { ...run, status: "queued", waits: [] } as Run,
      at: run.createdAt,
      events: [],
    };
    const source = this.#records.sourceOf(thread, snapshot);
    const task = await this.#records.task(tenant, source, {
      historyLength: configuration?.historyLength,
    });
    return { thread, from: { after: 0, task, waits: [] } };
  }

  async #goOn(
    call: A2ACall,
    { message, configuration }: SendRequest,
    taskId: string,
  ): Promise<Begun> {
    const { tenant } = call.caller;
    const found = await this.#records.find(call, taskId);
    const { runId } = found;
    if (message.contextId !== undefined && message.contextId !== found.threadId)
      throw new A2AError(
        "InvalidParams",
        `task ${taskId} belongs to another context than ${message.contextId}`,
      );
    const before = await this.#runs.threads.messages(tenant, { runId }, MAX_HISTORY);
    const digest = digestOf(message);
    const known = before.find(({ data }) => data?.["digest"] === digest);
    const snapshot = await this.#records.snapshot(tenant, runId);
    const { run } = snapshot;
    const owed = known && owedTo(run, known);
    const isRepeated = known !== undefined && owed === undefined;
    if (!isRepeated && takesMail(run)) return this.#write(call, { found, run, message });
    const answered = isRepeated ? undefined : answeredQuestion(snapshot, message, owed);
    const reported = answered?.message ?? message;
    const read = readMessage(reported, this.#taking(call, { isTalking: false }));
    const push = configuration?.taskPushNotificationConfig;
    const target = push && (await this.target(call, found, withOwnId(push, message)));
    if (target !== undefined) await this.#host.runs.addWebhook(tenant, runId, target);
    const thread = await this.#ids.noteReceived(call, found);
    if (answered === undefined) return { thread };
    const { wait } = answered;
    const whole = askedBy(wait).takesMessage;
    const [spoken] = said(read, message);
    const isTaken = known === undefined && before.some(({ id }) => id === message.messageId);
    await this.#runs.answer(
      tenant,
      { thread, run },
      {
        message: {
          ...(spoken as Omit<ThreadMessage, "runId" | "createdAtMs">),
          // Another message of the task has this id, so a digest is added to it.
          ...(isTaken ? { id: `${message.messageId}#${digest.slice(0, 16)}` } : undefined),
        },
        wait,
        data: whole ? reported : dataOf(read),
      },
    );
    const working = { ...run, status: "running", waits: [] } as Run;
    const source = this.#records.sourceOf(thread, { ...snapshot, run: working });
    const task = await this.#records.task(tenant, source, {
      historyLength: configuration?.historyLength,
    });
    return { thread, from: { after: snapshot.seq, task, waits: run.waits } };
  }

  /** Sends a message to a working task: its agents see it at their next model call. */
  async #write(
    call: A2ACall,
    {
      found,
      run,
      message,
    }: { readonly found: ThreadRun; readonly run: Run; readonly message: Message },
  ): Promise<Begun> {
    const { tenant } = call.caller;
    const read = readMessage(message, this.#taking(call, { isTalking: false }));
    await this.#host.runs.send(tenant, run.id, { id: message.messageId, content: read.text });
    const thread = await this.#ids.noteReceived(call, found);
    await this.#runs.log.say(tenant, thread, said(read, message));
    return { thread };
  }

  /** Reads the settings in the metadata of the message, or of the request. */
  #settings({ exposed }: A2ACall, { message, metadata }: SendRequest): SettledSettings {
    const own = message.metadata?.["settings"];
    const where = own === undefined ? "/metadata/settings" : "/message/metadata/settings";
    const value = own ?? metadata?.["settings"];
    return commonSettings(value, exposed, { where, models: this.#host.models });
  }

  async #read(
    call: A2ACall,
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
    // A text in addition to inputs by name would be mistaken for one of them.
    const isInputs =
      call.exposed.subject.messagesInput === undefined &&
      (read.text === "" || read.text.trim().startsWith("{"));
    return isInputs ? read : withAppendix(read, appendix);
  }

  async #reference(call: A2ACall, id: string): Promise<string> {
    const thread = await this.#records.find(call, id);
    const { text } = a2aResultOf(
      (await this.#records.snapshot(call.caller.tenant, thread.runId)).run,
    );
    if (text === "") return `Task ${id}, which is referred to, has no result yet.`;
    return `The result of task ${id}, which is referred to:\n${text.slice(0, MAX_REFERENCE_LENGTH)}`;
  }

  #taking({ exposed, caller }: A2ACall, { isTalking }: { isTalking?: boolean }) {
    return {
      isTalking: isTalking ?? exposed.subject.messagesInput !== undefined,
      filesInput: optionsOf(exposed).files,
      inputModes: inputModesOf(exposed),
      outbound: this.#host.placeOf(caller.tenant).outbound,
    };
  }

  async #checkContext({ caller, exposed }: A2ACall, contextId: string): Promise<void> {
    const latest = await this.#runs.threads.latest(caller.tenant, {
      protocol: "a2a",
      threadId: contextId,
    });
    if (latest === undefined) return;
    const isOfAgent = latest.kind === exposed.kind && latest.name === exposed.name;
    if (isOfAgent && maySeeRun(caller, latest)) return;
    throw new A2AError(
      "InvalidParams",
      `the context ${contextId} cannot be used here: choose another id, or leave it out`,
    );
  }

  async target(
    call: A2ACall,
    thread: Pick<ThreadRun, "runId" | "threadId"> & ({ data: JsonObject } | { notes: TaskNotes }),
    config: PushConfig,
  ) {
    const { runId: taskId, threadId: contextId } = thread;
    const notes = "notes" in thread ? thread.notes : notesOf(thread);
    const { tenant } = call.caller;
    if (!sendsPush(this.#options, this.#host))
      throw new A2AError("PushNotificationNotSupported", "this agent sends no push notifications");
    return pushTarget(
      config,
      { tenant, taskId, contextId, notes, format: call.pushFormat },
      this.#host,
    );
  }
}

/** True for a task whose agents are active. Participants of a conversation speak in their turns alone. */
function takesMail(run: Run): boolean {
  const state = wireStateOf(run);
  const isWorking = state === "TASK_STATE_WORKING" || state === "TASK_STATE_SUBMITTED";
  return isWorking && run.kind !== "conversation";
}

/** True if the server sends push notifications. */
export function sendsPush({ pushNotifications = true }: A2AOptions, host: PartHost): boolean {
  return pushNotifications && host.webhooks !== undefined;
}
/** Gives a message's configuration an id, if it has none. The same message yields the same id. */
function withOwnId(config: PushConfig, { messageId }: Message): PushConfig {
  if (config.id) return config;
  return { ...config, id: sha256Hex(JSON.stringify([messageId, config.url])).slice(0, 32) };
}

function said(
  { content }: ReadMessage,
  message: Message,
): ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">> {
  const data = { message: keptMessage(message), digest: digestOf(message) };
  return [{ id: message.messageId, role: "user", content, data }];
}

function dataOf({ values }: ReadMessage): JsonValue | undefined {
  const [value] = values;
  return values.length > 1 ? values : value;
}
