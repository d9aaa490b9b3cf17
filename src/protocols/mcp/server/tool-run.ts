// Runs of kind `mcp_tool`: one call of a tool of `mcp({ tools })`.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { RunSchemas } from "../../../parts/part.ts";
import type { RunProgram } from "../../../runtime/run-program.ts";
import { callTool } from "../../../tools/call-tool.ts";
import { failureText } from "../../../tools/tool-failure.ts";
import type { Tool } from "../../../tools/tool.ts";

/** Kind of these runs. */
export const TOOL_KIND = "mcp_tool";

/** Returns the program of such a run. */
export function toolRun(tool: Tool): RunProgram {
  return {
    tasks: [],
    run: async (scope, input) => {
      const outcome = await callTool(scope.at(`tool:${tool.safeName}`), {
        tool,
        input,
        caller: { agentRole: "MCP client" },
        keepsValue: true,
      });
      if (outcome.kind === "result") return outcome.value ?? outcome.text;
      const { error, failure } = outcome;
      throw error ?? new EngineError("tool_failed", failureText(failure), { retryable: false });
    },
  };
}

/** Inputs and outputs of such a run, in the API document. */
export function toolRunSchemas(): RunSchemas {
  return { input: z.record(z.string(), z.json()), output: z.json() };
}
