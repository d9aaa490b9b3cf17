// Calls of the tools for open runs.
import { EngineError } from "../../../base/error.ts";
import { preview } from "../../../base/json.ts";
import type { PartHost } from "../../../parts/part.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import { openWaits } from "../../run-state.ts";
import { findRun, type McpCaller, type ToolCall } from "./tool-call.ts";
import { followRun } from "./follow-run.ts";
import { toolResult, type ToolResult } from "./run-results.ts";
import type { RunToolName } from "./run-tools.ts";

const LONGEST_WAIT_S = 60;
const USUAL_WAIT_S = 30;

/** Answers a call of one of the tools for open runs. */
export async function callRunTool(
  { runs, host }: { readonly runs: ProtocolRuns; readonly host: Pick<PartHost, "clock" | "runs"> },
  caller: McpCaller,
  { runTool, call }: { readonly runTool: RunToolName; readonly call: ToolCall },
): Promise<ToolResult> {
  const { tenant } = caller;
  const { runId, waitSeconds = USUAL_WAIT_S, answer, approve, key } = call.arguments;
  if (typeof runId !== "string")
    throw new EngineError("invalid_input", `runId must be a text, got ${preview(runId)}`);
  const known = await findRun(runs, caller, runId);
  if (runTool === "cancel_run") {
    const run = await host.runs.cancel(tenant, runId, "an MCP client cancelled it");
    return toolResult(run);
  }
  if (runTool === "answer_run") {
    const wait =
      key === undefined ? undefined : openWaits(known.run).find((each) => each.key === key);
    if (key !== undefined && wait === undefined)
      throw new EngineError("conflict", `the run ${runId} does not wait for ${preview(key)}`);
    const isYesOrNo = typeof approve === "boolean";
    const text = typeof answer === "string" ? answer : "";
    const data = isYesOrNo
      ? { approve, feedback: text }
      : typeof answer === "string"
        ? undefined
        : answer;
    const content = text === "" ? JSON.stringify(data ?? "") : text;
    const id = `answer:${wait?.key ?? openWaits(known.run)[0]?.key ?? ""}`;
    await runs.answer(tenant, known, {
      message: { id, role: "user", content },
      data,
      wait,
    });
  }
  const seconds =
    typeof waitSeconds === "number" && waitSeconds >= 0
      ? Math.min(waitSeconds, LONGEST_WAIT_S)
      : USUAL_WAIT_S;
  const { signal, listener } = call;
  const fromMs = host.clock.now();
  const waits = { tenant, id: runId, fromMs, waitMs: seconds * 1000, signal, listener };
  return toolResult(await followRun(runs, host, waits));
}
