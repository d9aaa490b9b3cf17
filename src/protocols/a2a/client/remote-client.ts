// A2A operations on a remote agent, over the negotiated binding and version. The project's SDK implements the wires;
// remote-task.ts reads the results.
import {
  AgentCard as CardCodec,
  GetExtendedAgentCardRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  Message,
} from "@a2a-js/sdk";
import {
  JsonRpcTransportFactory,
  RestTransportFactory,
  TenantTransportDecorator,
  type RequestOptions,
  type Transport,
} from "@a2a-js/sdk/client";
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { withoutSecrets } from "../../../security/known-secrets.ts";
import type { AgreedTransport } from "./negotiate.ts";
import { TaskSoFar } from "./remote-task.ts";

/** A message to send. */
export type OutgoingMessage = {
  readonly messageId: string;
  readonly text: string;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly referenceTaskIds?: readonly string[];
  readonly metadata?: JsonObject | undefined;
  readonly partMetadata?: JsonObject | undefined;
  readonly acceptedOutputModes: readonly string[];
  readonly push?: JsonObject | undefined;
};

export type RemoteClientOptions = {
  readonly agreed: AgreedTransport;
  readonly fetch: typeof fetch;
  readonly extensions: readonly string[];
  /** Name of the agent in errors. */
  readonly what: string;
};

/** Updates of a task, in ProtoJSON of A2A 1.0. */
export type Updates = AsyncGenerator<JsonObject, void, undefined>;

/** Number of tasks searched for a message. */
const FOUND_AMONG = 20;

export class RemoteClient {
  readonly #options: RemoteClientOptions;
  #transport: Promise<Transport> | undefined;

  constructor(options: RemoteClientOptions) {
    this.#options = options;
  }

  /** Sends a message, and resolves as soon as there is a task or an answer. */
  async send(message: OutgoingMessage, signal: AbortSignal): Promise<TaskSoFar> {
    return this.#asked(async () => {
      const transport = await this.#open();
      const result = await transport.sendMessage(requestOf(message, true), this.#with(signal));
      return "messageId" in result
        ? new TaskSoFar().take({ message: Message.toJSON(result) as JsonObject })
        : taskSoFar(result);
    });
  }

  /** Sends a message and streams its updates. */
  stream(message: OutgoingMessage, signal: AbortSignal): Updates {
    return this.#updates(async () =>
      (await this.#open()).sendMessageStream(requestOf(message, false), this.#with(signal)),
    );
  }

  /** Yields the updates of a task from now on; the first is the task itself. */
  subscribe(taskId: string, signal: AbortSignal): Updates {
    return this.#updates(async () =>
      (await this.#open()).resubscribeTask(
        SubscribeToTaskRequest.fromJSON({ id: taskId }),
        this.#with(signal),
      ),
    );
  }

  async task(taskId: string, historyLength: number, signal: AbortSignal): Promise<TaskSoFar> {
    return this.#asked(async () => {
      const transport = await this.#open();
      const request = GetTaskRequest.fromJSON({ id: taskId, historyLength });
      return taskSoFar(await transport.getTask(request, this.#with(signal)));
    });
  }

  /** Returns the server's card for authenticated callers. */
  async extendedCard(signal: AbortSignal): Promise<JsonObject> {
    return this.#asked(async () => {
      const transport = await this.#open();
      const request = GetExtendedAgentCardRequest.fromJSON({});
      return CardCodec.toJSON(
        await transport.getExtendedAgentCard(request, this.#with(signal)),
      ) as JsonObject;
    });
  }

  /** Finds the task of a message; undefined if the server cannot find it. */
  async find(
    message: Pick<OutgoingMessage, "messageId" | "taskId" | "contextId">,
    signal: AbortSignal,
  ): Promise<TaskSoFar | undefined> {
    try {
      if (message.taskId !== undefined) {
        const task = await this.task(message.taskId, 100, signal);
        return task.has(message.messageId) ? task : undefined;
      }
      if (this.#options.agreed.version !== "1.0") return undefined;
      const transport = await this.#open();
      const { contextId } = message;
      const request = ListTasksRequest.fromJSON({
        ...(contextId === undefined ? undefined : { contextId }),
        pageSize: FOUND_AMONG,
        historyLength: 100,
        includeArtifacts: true,
      });
      const { tasks } = await transport.listTasks(request, this.#with(signal));
      return tasks.map(taskSoFar).find((task) => task.has(message.messageId));
    } catch {
      return undefined;
    }
  }

  #open(): Promise<Transport> {
    return (this.#transport ??= this.#opened());
  }

  async #opened(): Promise<Transport> {
    const { agreed, fetch: fetchImpl } = this.#options;
    const { url, transport, version, tenant } = agreed;
    const options = { fetchImpl, legacyCompat: { enabled: true } };
    const factory =
      transport === "HTTP+JSON"
        ? new RestTransportFactory(options)
        : new JsonRpcTransportFactory(options);
    const chosen = { url, protocolBinding: transport, protocolVersion: version };
    const made = await factory.create(url, CardCodec.fromJSON({ supportedInterfaces: [chosen] }));
    return tenant === undefined ? made : new TenantTransportDecorator(made, tenant);
  }

  #with(signal: AbortSignal): RequestOptions {
    const { agreed, extensions } = this.#options;
    const named = extensions.length === 0 ? undefined : extensions.join(",");
    return {
      signal,
      serviceParameters: {
        "A2A-Version": agreed.version,
        ...(named === undefined
          ? undefined
          : { "A2A-Extensions": named, "X-A2A-Extensions": named }),
      },
    };
  }

  async *#updates(open: () => Promise<AsyncGenerator<StreamResponse, void, undefined>>): Updates {
    const updates = await this.#asked(open);
    try {
      for (;;) {
        const next = await this.#asked(() => updates.next());
        if (next.done === true) return;
        yield StreamResponse.toJSON(next.value) as JsonObject;
      }
    } finally {
      await updates.return().catch(() => undefined);
    }
  }

  /** Converts failures to errors of the engine. */
  async #asked<Value>(ask: () => Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      if (EngineError.is(error)) throw error;
      const { cause } = error as { cause?: unknown };
      if (EngineError.is(cause)) throw cause;
      const reason = remoteReason(error);
      throw new EngineError(
        reason === "TASK_NOT_FOUND" ? "not_found" : "tool_failed",
        `${this.#options.what} refused: ${withoutSecrets(errorMessage(error)).slice(0, 500)}`,
        { cause: error },
      );
    }
  }
}

function taskSoFar(task: Task): TaskSoFar {
  return new TaskSoFar().take({ task: Task.toJSON(task) as JsonObject });
}

function remoteReason(error: unknown): string | undefined {
  const { reason } = error as { reason?: unknown };
  return typeof reason === "string" ? reason : undefined;
}

function requestOf(message: OutgoingMessage, returnImmediately: boolean): SendMessageRequest {
  const { messageId, text, contextId, taskId, referenceTaskIds = [], metadata } = message;
  const { partMetadata, acceptedOutputModes, push } = message;
  const body: JsonObject = {
    message: {
      messageId,
      role: "ROLE_USER",
      parts: [
        {
          text,
          mediaType: "text/plain",
          ...(partMetadata === undefined ? undefined : { metadata: partMetadata }),
        },
      ],
      ...(contextId === undefined ? undefined : { contextId }),
      ...(taskId === undefined ? undefined : { taskId }),
      ...(referenceTaskIds.length === 0 ? undefined : { referenceTaskIds }),
      ...(metadata === undefined ? undefined : { metadata }),
    },
    configuration: {
      acceptedOutputModes,
      ...(returnImmediately ? { returnImmediately } : undefined),
      ...(push === undefined ? undefined : { taskPushNotificationConfig: push }),
    },
  };
  return SendMessageRequest.fromJSON(body);
}
