// The operations by their names in JSON-RPC, called by both bindings and all versions.
import { noted } from "../../base/log.ts";
import type * as z from "zod";
import { toIssues } from "../../base/zod-issues.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import type { Clock } from "../../base/clock.ts";
import type { Scope } from "../../parts/key-store.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { hasScope, mayRead, missingScope, scopeChallenge } from "../../parts/rights.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { ProtocolRuns } from "../protocol-runs.ts";
import type { AgentCard } from "./agent-card.ts";
import { declaredExtensions } from "./card.ts";
import { A2AError } from "./errors.ts";
import {
  optionsOf,
  versionsOf,
  type A2AExtension,
  type A2AOptions,
  type A2AVersion,
} from "./options.ts";
import {
  PARAMS,
  type Message,
  type Method,
  type SendRequest,
  type StreamResponse,
  type Task,
} from "./schema.ts";
import type { A2ACall } from "./task-records.ts";
import type { A2ATasks } from "./tasks.ts";

/** Result of an operation. */
export type Outcome =
  | { readonly result: object }
  | { readonly updates: AsyncGenerator<StreamResponse>; readonly stop: AbortController };

/** A request in the form common to all bindings. */
export type Asked = {
  readonly request: OperationRequest;
  readonly name: string;
  readonly method: Method;
  readonly params: unknown;
  readonly version: A2AVersion;
};

/** Scope needed for each method. */
const SCOPES: Readonly<Record<Method, Scope>> = {
  SendMessage: "run",
  SendStreamingMessage: "run",
  GetTask: "read",
  ListTasks: "read",
  CancelTask: "run",
  SubscribeToTask: "read",
  CreateTaskPushNotificationConfig: "run",
  GetTaskPushNotificationConfig: "read",
  ListTaskPushNotificationConfigs: "read",
  DeleteTaskPushNotificationConfig: "run",
  GetExtendedAgentCard: "read",
};

/** The server of one deployment. */
export type A2AServer = {
  readonly options: A2AOptions;
  readonly host: PartHost;
  readonly runs: ProtocolRuns;
  readonly tasks: A2ATasks;
  /** Returns the card of a subject for the caller. */
  readonly card: (
    exposed: ExposedSubject,
    request: Request,
    about: { readonly isExtended: boolean },
  ) => Promise<AgentCard>;
  readonly clock: Clock;
};

/** Returns the operation of this name, or undefined. */
export function methodOf(name: string): Method | undefined {
  return Object.hasOwn(PARAMS, name) ? (name as Method) : undefined;
}

/** Returns the requested version: without one it is 0.3 (section 3.6). Throws VersionNotSupported. */
export function versionOf(options: A2AOptions, { headers, url }: Request): A2AVersion {
  const versions = versionsOf(options);
  const asked = headers.get("a2a-version") ?? new URL(url).searchParams.get("A2A-Version") ?? "";
  const version = asked.trim() === "" ? "0.3" : asked.trim();
  const known = versions.find((each) => each === version);
  if (known !== undefined) return known;
  const list = versions.join(", ");
  throw new A2AError(
    "VersionNotSupported",
    asked.trim() === ""
      ? `this agent speaks A2A ${list}: send the header A2A-Version; without it, a request is one of 0.3`
      : `this agent speaks A2A ${list}, got A2A-Version ${asked.slice(0, 20)}`,
    { metadata: { supportedVersions: list } },
  );
}

/** Returns the extensions activated by a request. Throws ExtensionSupportRequired if a required one is missing. */
function activeExtensions(options: A2AOptions, { headers }: Request): readonly string[] {
  const asked = `${headers.get("a2a-extensions") ?? ""},${headers.get("x-a2a-extensions") ?? ""}`;
  const wanted = new Set(asked.split(",").map((uri) => uri.trim()));
  const declared = declaredExtensions(options);
  const missing = declared.filter(({ uri, required }) => required === true && !wanted.has(uri));
  if (missing.length > 0)
    throw new A2AError(
      "ExtensionSupportRequired",
      `this agent needs the extension ${missing.map(({ uri }) => uri).join(", ")}: name it in the header A2A-Extensions`,
    );
  return declared.map(({ uri }) => uri).filter((uri) => wanted.has(uri));
}

/** Returns the header with the activated extensions; empty without any. */
export function extensionHeaders(
  extensions: readonly string[],
  version: A2AVersion,
): Readonly<Record<string, string>> {
  if (extensions.length === 0) return {};
  return { [version === "0.3" ? "x-a2a-extensions" : "a2a-extensions"]: extensions.join(", ") };
}

/** Finds the agent. Throws a 404 for an agent that this tenant may not call. */
export async function agentOf(
  { runs }: Pick<A2AServer, "runs">,
  tenant: string,
  name: string,
): Promise<ExposedSubject> {
  try {
    return await runs.exposure.find(tenant, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "not_found")
      throw new A2AError("AgentNotFound", error.message);
    throw error;
  }
}

/** Executes an operation. Throws an `A2AError`, or an error convertible to one. */
export async function carryOut(
  server: A2AServer,
  asked: Asked,
): Promise<Outcome & { readonly extensions: readonly string[] }> {
  const { request, name, method, version } = asked;
  const { tenant, callerId, scopes, raw } = request;
  const scope = SCOPES[method];
  if (!hasScope(scopes, scope))
    throw new A2AError("PermissionDenied", missingScope(scopes, scope), {
      headers: scopeChallenge(scope),
    });
  const exposed = await agentOf(server, tenant, name);
  const extensions = activeExtensions(server.options, raw);
  const call: A2ACall = {
    caller: { tenant, callerId, mayRead: mayRead(scopes) },
    exposed,
    extensions,
    pushFormat: version === "1.0" ? "a2a" : "a2a-0.3",
  };
  const hooks = activeHooks(server.options, extensions);
  const outcome = await answered(server, { call, method, params: asked.params, raw, hooks });
  return { ...outcome, extensions };
}

type Work = {
  readonly call: A2ACall;
  readonly method: Method;
  readonly params: unknown;
  readonly raw: Request;
  readonly hooks: readonly A2AExtension[];
};

async function answered(server: A2AServer, work: Work): Promise<Outcome> {
  const { tasks, host } = server;
  const { call, method, params, raw, hooks } = work;
  const shown = (task: Task): Promise<Task> =>
    throughHooks(task, { hooks, name: "onResponse", host });
  switch (method) {
    case "SendMessage": {
      const sent = await tasks.send(call, await sendRequest(work, host));
      return { result: "task" in sent ? { task: await shown(sent.task) } : sent };
    }
    case "SendStreamingMessage": {
      const stop = new AbortController();
      const updates = await tasks.stream(call, await sendRequest(work, host), stop.signal);
      return { updates: tasksThrough(updates, shown), stop };
    }
    case "SubscribeToTask": {
      const stop = new AbortController();
      const updates = await tasks.subscribe(call, parsed(PARAMS[method], params), stop.signal);
      return { updates: tasksThrough(updates, shown), stop };
    }
    case "GetTask":
      return { result: await shown(await tasks.get(call, parsed(PARAMS[method], params))) };
    case "ListTasks":
      return { result: await tasks.list(call, parsed(PARAMS[method], params)) };
    case "CancelTask":
      return { result: await shown(await tasks.cancel(call, parsed(PARAMS[method], params))) };
    case "CreateTaskPushNotificationConfig":
      pushable(server);
      return { result: await tasks.createPush(call, parsed(PARAMS[method], params)) };
    case "GetTaskPushNotificationConfig":
      pushable(server);
      return { result: await tasks.getPush(call, parsed(PARAMS[method], params)) };
    case "ListTaskPushNotificationConfigs":
      pushable(server);
      return { result: await tasks.listPush(call, parsed(PARAMS[method], params)) };
    case "DeleteTaskPushNotificationConfig":
      pushable(server);
      return { result: await tasks.deletePush(call, parsed(PARAMS[method], params)) };
    case "GetExtendedAgentCard":
      break;
  }
  if (optionsOf(call.exposed).extended === undefined)
    throw new A2AError("UnsupportedOperation", "this agent has no extended card");
  return { result: await server.card(call.exposed, raw, { isExtended: true }) };
}

function pushable({ options, host }: A2AServer): void {
  if (options.pushNotifications !== false && host.webhooks !== undefined) return;
  throw new A2AError("PushNotificationNotSupported", "this agent sends no push notifications");
}

async function sendRequest({ params, hooks }: Work, host: PartHost): Promise<SendRequest> {
  const request = parsed(PARAMS.SendMessage, params);
  const message = await throughHooks(request.message as Message, {
    hooks,
    name: "onRequest",
    host,
  });
  return { ...request, message };
}

/** Parses parameters by their schema. Fails with `invalid_input`, with an issue for each field. */
function parsed<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params ?? {});
  if (result.success) return result.data;
  throw invalidInput("the parameters do not fit", toIssues(result.error, params));
}

function activeHooks(
  { extensions = [] }: A2AOptions,
  active: readonly string[],
): readonly A2AExtension[] {
  return extensions.filter(({ uri }) => active.includes(uri));
}

async function throughHooks<Value extends Message | Task>(
  value: Value,
  through: {
    readonly hooks: readonly A2AExtension[];
    readonly name: "onRequest" | "onResponse";
    readonly host: Pick<PartHost, "report">;
  },
): Promise<Value> {
  const { hooks, name, host } = through;
  let current = value;
  for (const hook of hooks) {
    const change = hook[name] as ((value: Value) => Value | Promise<Value>) | undefined;
    try {
      current = (await change?.(current)) ?? current;
    } catch (error) {
      host.report(noted(error, "request_failed"));
    }
  }
  return current;
}

async function* tasksThrough(
  updates: AsyncGenerator<StreamResponse>,
  shown: (task: Task) => Promise<Task>,
): AsyncGenerator<StreamResponse> {
  for await (const update of updates)
    yield "task" in update ? { task: await shown(update.task) } : update;
}
