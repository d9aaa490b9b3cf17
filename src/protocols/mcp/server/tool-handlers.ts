// `tools/*` and `tasks/*`.
import {
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { isJsonObject, preview, type JsonObject } from "../../../base/json.ts";
import { findRun } from "./tool-call.ts";
import { cancelTask, detailedTask, TASKS, updateTask } from "./run-tasks.ts";
import { badParams, callerOf, guarded, listenerOf, type ServerAt } from "./server-context.ts";
import { listed } from "./tool-list.ts";

/** Registers listing and calling. */
export function handleTools(at: ServerAt): void {
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

/** Registers the tasks extension. */
export function handleTasks(at: ServerAt): void {
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
