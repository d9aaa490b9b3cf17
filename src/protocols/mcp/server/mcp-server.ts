// The server of one request or session: the handlers of the protocol's methods, for one caller.
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SUPPORTED_PROTOCOL_VERSIONS,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../../../base/json.ts";
import type { PartHost, PartSession } from "../../../parts/part.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import { findRun, type McpCaller, type ToolCall, type ToolCalls } from "./call-tools.ts";
import type { McpOptions, McpRequester } from "./mcp-options.ts";
import { listedPrompt, promptAnswer, type Prompts } from "./prompts.ts";
import { abilitiesOf } from "./questions.ts";
import type { Resources } from "./resources.ts";
import { cancelTask, detailedTask, TASKS, updateTask } from "./run-tasks.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { listed, type ToolList } from "./tool-list.ts";

/** What all servers of a deployment share. */
export type McpDeployment = {
  readonly options: McpOptions;
  readonly host: PartHost;
  readonly runs: ProtocolRuns;
  readonly tools: ToolList;
  readonly calls: ToolCalls;
  readonly resources: Resources;
  readonly prompts: Prompts;
  /** Sessions by tenant and id, where the Worker keeps some. */
  readonly sessions?: ((name: string) => PartSession) | undefined;
};

/** Which server it is: of the current revision, of older ones, or of a session of these. */
type McpEra = "modern" | "legacy" | "session";

/** What the server of a session has beside. */
export type McpSessionParts = { readonly subscriptions: Subscriptions };

/** Who a server is for. */
export type McpIdentity = {
  readonly tenant: string;
  readonly callerId: string;
  /** The key's scopes let it see what it has not started itself. */
  readonly mayRead: boolean;
};

/** The revision without sessions. */
export const MODERN = "2026-07-28";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LIST_TTL_MS = 60_000;
const MAX_COMPLETIONS = 100;
const LOG_LEVELS = ["debug", "info", "notice", "warning", "error"] as const;

/** Lists are of one tenant. */
const LIST_HINT = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;

/** A server for one caller. */
export function mcpServer(
  deployment: McpDeployment,
  identity: McpIdentity,
  of: "modern" | "legacy" | McpSessionParts,
): Server {
  const era = typeof of === "string" ? of : "session";
  const { options, resources, prompts } = deployment;
  const { name = "edgecrew", version = "1", title } = options.server ?? {};
  const server = new RunServer(
    { name, version, ...(title === undefined ? undefined : { title }) },
    {
      capabilities: {
        tools: {},
        logging: {},
        completions: {},
        prompts: {},
        ...(resources.isOffered
          ? { resources: era === "legacy" ? {} : { subscribe: true } }
          : undefined),
        ...(era === "modern" ? { extensions: { [TASKS]: {} } } : undefined),
      },
      ...(options.instructions === undefined ? undefined : { instructions: options.instructions }),
      cacheHints: {
        "tools/list": LIST_HINT,
        "prompts/list": LIST_HINT,
        "resources/list": LIST_HINT,
        "resources/templates/list": LIST_HINT,
        "server/discover": LIST_HINT,
      },
      supportedProtocolVersions: era === "modern" ? [MODERN] : SUPPORTED_PROTOCOL_VERSIONS,
      inputRequired: { legacyShim: era === "session" },
    },
  );
  const subscriptions = typeof of === "string" ? undefined : of.subscriptions;
  const at: ServerAt = { ...deployment, identity, era, server, subscriptions };
  handleTools(at);
  if (resources.isOffered) handleResources(at);
  handlePrompts(at, prompts);
  handleCompletion(at);
  if (era === "modern") handleTasks(at);
  return server;
}

type ServerAt = McpDeployment & {
  readonly identity: McpIdentity;
  readonly era: McpEra;
  readonly server: Server;
  readonly subscriptions: Subscriptions | undefined;
};

/** Results that are tasks have no content, which the package would give them. */
class RunServer extends Server {
  // oxlint-disable-next-line no-underscore-dangle -- the package's name for it
  protected override _wrapHandler(
    ...[method, handler]: Parameters<Server["_wrapHandler"]>
  ): ReturnType<Server["_wrapHandler"]> {
    // oxlint-disable-next-line no-underscore-dangle -- see above
    const wrapped = super._wrapHandler(method, handler);
    if (method !== "tools/call") return wrapped;
    return async (request, context) => {
      const result = await wrapped(request, context);
      if (result["resultType"] !== "task") return result;
      const { content: _, ...task } = result;
      return task;
    };
  }
}

function handleTools(at: ServerAt): void {
  const { server, tools, calls, identity } = at;
  const { tenant } = identity;
  server.setRequestHandler("tools/list", () =>
    guarded(at, async () => {
      const all = await tools.all(tenant);
      return { tools: all.map(listed) as never };
    }),
  );
  server.setRequestHandler("tools/call", ({ params }, context) =>
    guarded(at, async () => {
      const { name, arguments: args = {} } = params;
      const { _meta: sent } = context.mcpReq;
      const meta: JsonObject = isJsonObject(sent) ? sent : {};
      const found = await tools.find(tenant, name);
      if (found === undefined)
        throw badParams(`there is no tool ${preview(name)}; tools/list has all`);
      const result = await calls.call(callerOf(at, context), found, {
        name,
        arguments: args as JsonObject,
        meta,
        responses: context.mcpReq.inputResponses,
        state: context.mcpReq.requestState<string>(),
        signal: context.mcpReq.signal,
        listener: listenerOf(context),
      });
      if ("resultType" in result) return result as unknown as InputRequiredResult;
      return server.projectCallToolResult(result as unknown as CallToolResult, found.outputSchema);
    }),
  );
}

function handleResources(at: ServerAt): void {
  const { server, resources, subscriptions } = at;
  server.setRequestHandler("resources/list", ({ params }) =>
    guarded(at, async () => {
      const page = await resources.list(at.identity, params?.cursor);
      if (page === undefined) throw badParams(`the cursor is not one of an earlier page`);
      return page as never;
    }),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: resources.templates() as never,
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    guarded(at, async () => {
      const contents = await resources.read(uri, requesterOf(at, context));
      if (contents === undefined)
        throw new ResourceNotFoundError(uri, `there is no resource ${preview(uri)}`);
      return { contents: contents as never };
    }),
  );
  if (subscriptions === undefined) return;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) =>
    guarded(at, async () => {
      if (!(await subscriptions.add(uri)))
        throw badParams("the session subscribes to too many resources: unsubscribe from some");
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
}

function handlePrompts(at: ServerAt, prompts: Prompts): void {
  const { server, identity } = at;
  server.setRequestHandler("prompts/list", () =>
    guarded(at, async () => {
      const all = await prompts.all(identity.tenant);
      return { prompts: all.map(listedPrompt) as never };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    guarded(at, async () => {
      const { name, arguments: values = {} } = params;
      const prompt = await prompts.find(identity.tenant, name);
      if (prompt === undefined) throw badParams(`there is no prompt ${preview(name)}`);
      const missing = (prompt.arguments ?? []).filter(
        (each) => each.required === true && !Object.hasOwn(values, each.name),
      );
      if (missing.length > 0)
        throw badParams(
          `the prompt ${name} needs the arguments ${missing.map((each) => each.name).join(", ")}`,
        );
      const answer = await promptAnswer(prompt, values, {
        requester: requesterOf(at, context),
        responses: context.mcpReq.inputResponses ?? {},
      });
      if ("messages" in answer)
        return {
          ...(prompt.description === undefined ? undefined : { description: prompt.description }),
          messages: answer.messages as never,
        };
      return {
        resultType: "input_required",
        inputRequests: { [answer.name]: answer.request as never },
      };
    }),
  );
}

function handleCompletion(at: ServerAt): void {
  const { server, prompts, resources, identity } = at;
  server.setRequestHandler("completion/complete", ({ params }, context) =>
    guarded(at, async () => {
      const { ref, argument } = params;
      const others = params.context?.arguments ?? {};
      const requester = requesterOf(at, context);
      const asked = { name: argument.name, typed: argument.value, others };
      const values = await (async () => {
        if (ref.type === "ref/resource") return resources.complete(ref.uri, asked, requester);
        const prompt = await prompts.find(identity.tenant, ref.name);
        if (prompt === undefined) return undefined;
        const field = prompt.arguments?.find(({ name }) => name === argument.name);
        return (await field?.complete?.(argument.value, { ...requester, others })) ?? [];
      })();
      if (values === undefined)
        throw badParams(
          `there is no ${ref.type === "ref/prompt" ? `prompt ${preview(ref.name)}` : `form of addresses ${preview(ref.uri)}`}`,
        );
      return {
        completion: {
          values: values.slice(0, MAX_COMPLETIONS),
          total: values.length,
          hasMore: values.length > MAX_COMPLETIONS,
        },
      };
    }),
  );
}

function handleTasks(at: ServerAt): void {
  const { server, runs, host, identity } = at;
  const { tenant } = identity;
  const params = z.looseObject({ taskId: z.string() });
  const task = async <Result>(
    context: ServerContext,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (!callerOf(at, context).hasTasks)
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    return guarded(at, work);
  };
  server.setRequestHandler("tasks/get", { params }, ({ taskId }, context) =>
    task(context, async () => {
      const { run } = await findRun(runs, identity, taskId);
      return { ...detailedTask(run, callerOf(at, context).abilities) };
    }),
  );
  server.setRequestHandler("tasks/update", { params }, ({ taskId }, context) =>
    task(context, async () => {
      const responses = (context.mcpReq.inputResponses ?? {}) as JsonObject;
      await findRun(runs, identity, taskId);
      await updateTask(runs, tenant, { taskId, responses });
      return {};
    }),
  );
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }, context) =>
    task(context, async () => {
      await findRun(runs, identity, taskId);
      await cancelTask(runs, host, { tenant, taskId });
      return {};
    }),
  );
}

/** Runs a handler: errors of ours become those of the protocol, and what nobody expected is reported, not told. */
async function guarded<Result>(
  { host, era }: ServerAt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (era !== "modern" && error instanceof MissingRequiredClientCapabilityError)
      throw badParams(`${error.message}; a session, or another revision, is needed`);
    if (error instanceof ProtocolError) throw error;
    if (EngineError.is(error) && error.code !== "internal") throw badParams(error.message);
    host.report(error);
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "an internal error occurred; you can repeat the request",
    );
  }
}

function callerOf({ identity, era, server }: ServerAt, context: ServerContext): McpCaller {
  const capabilities =
    era === "modern"
      ? (context.mcpReq.envelope as JsonObject | undefined)?.[CAPABILITIES]
      : era === "session"
        ? server.getClientCapabilities()
        : undefined;
  const extensions = (capabilities as { extensions?: Record<string, unknown> } | undefined)
    ?.extensions;
  return {
    ...identity,
    abilities: abilitiesOf(capabilities),
    hasTasks: era === "modern" && extensions?.[TASKS] !== undefined,
  };
}

function requesterOf({ identity }: ServerAt, { mcpReq: { signal } }: ServerContext): McpRequester {
  return { ...identity, signal };
}

function listenerOf({ mcpReq }: ServerContext): ToolCall["listener"] {
  const { _meta: { progressToken } = {} } = mcpReq;
  return {
    ...(progressToken === undefined
      ? undefined
      : {
          progress: (report) =>
            mcpReq.notify({
              method: "notifications/progress",
              params: { progressToken, ...report },
            }),
        }),
    log: (level, data) => mcpReq.log(LOG_LEVELS.find((each) => each === level) ?? "info", data),
  };
}

function badParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
