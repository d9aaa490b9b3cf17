// Runs of the protocol's own: a tool call, and a task of a remote agent.
import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { NO_RETRY } from "../../base/retry.ts";
import { runTool } from "../../declarative/run-tool.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { Tool } from "../../tools/tool.ts";
import type { OutboundPolicy } from "../../security/outbound.ts";
import { submitRemotely, type RemoteOutcome } from "./remote-agents.ts";

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Permitted targets of requests to remote agents. */
    readonly acpOutbound?: OutboundPolicy;
  }
}

/** Settings for calls of remote agents. */
export type RemoteProgramOptions = {
  /** Variable with the key for a remote agent, by the agent's name. */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
};

/** Kind of the runs for tool calls. */
export const DELEGATION_KIND = "tool-call";

/** Calls a tool as a step, with the hooks, approvals, retries and limits of any call. */
export function delegationProgram(tools: () => Promise<readonly Tool[]>): RunProgram {
  return {
    tasks: [],
    run: async (scope, { tool: name, args }) => {
      const tool = (await tools()).find((each) => each.name === name);
      if (tool === undefined)
        throw new EngineError("not_found", `tool ${preview(name)} is not there any more`);
      return runTool(scope, tool, { input: args as JsonObject, flowName: "acp" });
    },
  };
}

/** Sends a task to another agent, once: after a crash its outcome is unknown, and the task is not sent again. */
export function remoteProgram({ tokens = {}, fetch }: RemoteProgramOptions): RunProgram {
  return {
    tasks: [],
    run: async (scope, inputs) => {
      const { agent, url, message } = inputs as Readonly<
        Record<"agent" | "url" | "message", string>
      >;
      const outcome = await scope.step<RemoteOutcome>({
        kind: "effect",
        effect: "once",
        retry: NO_RETRY,
        run: async ({ signal }) => {
          const { acpOutbound, variables = {} } = scope.services;
          const token = Object.hasOwn(tokens, agent) ? variables[tokens[agent] ?? ""] : undefined;
          return submitRemotely(
            { agent, url, message },
            {
              ...acpOutbound,
              ...(fetch === undefined ? undefined : { fetch }),
              clock: scope.clock,
              signal,
              headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
            },
          );
        },
      });
      if ("error" in outcome) throw new EngineError("agent_failed", outcome.error);
      return toJson(outcome);
    },
  };
}
