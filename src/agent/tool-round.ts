// What an agent does with the tool calls that a model made.
import type { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { ToolCall } from "../llm/language-model.ts";
import { callTool, cut } from "../tools/call-tool.ts";
import { parseToolArguments } from "../tools/tool-arguments.ts";
import type { ToolBox } from "../tools/tool-box.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentWork } from "./agent-work.ts";
import { fill } from "./prompts.ts";
import type { AgentFinish, ToolResult } from "./step-callback.ts";

/** What of a tool's result a model is shown, in characters; the journal keeps it whole. */
const MAX_TOOL_TEXT = 64 * 1024;

/** What the model is told of a call, and the answer of the task when the call gave it. */
export type ToolReply = { readonly text: string; readonly answer?: string };

/** Where a call is on record, and where what the agent's callback was told of it is. */
type CallPlace = { readonly call: RunScope; readonly callback: RunScope };

type Request = {
  readonly name: string;
  readonly arguments: string;
  readonly mode: "native" | "text";
};

/** Carries out tool calls for one piece of work, and counts them. */
export class ToolRunner {
  readonly #work: AgentWork;
  readonly #box: ToolBox;
  readonly #uses: Map<Tool, number>;
  /** The last call that succeeded. */
  #lastCall = "";

  constructor(work: AgentWork, box: ToolBox) {
    this.#work = work;
    this.#box = box;
    this.#uses = work.toolUses ?? new Map();
  }

  /**
   * Answers the calls of one turn, in their order. They run at once, unless one of them may end the task or has a limit
   * of uses: then one after another, and those after an answer are skipped.
   */
  async runAll(turn: RunScope, calls: readonly ToolCall[]): Promise<readonly ToolReply[]> {
    const placed = withPlaces(turn, calls);
    const inOrder = calls.some(({ name }) => {
      const tool = this.#box.find(name);
      return tool !== undefined && (tool.resultAsAnswer || tool.maxUsageCount !== undefined);
    });
    const run = ({ call, place }: (typeof placed)[number]): Promise<ToolReply> =>
      this.#run(place, { ...call, mode: "native" });
    if (!inOrder) return Promise.all(placed.map(run));
    const replies: ToolReply[] = [];
    let answeredBy: string | undefined;
    for (const each of placed) {
      const { call } = each;
      const skipped = fill(this.#work.prompts.errors.skippedAfterAnswer, {
        tool: call.name,
        answered_by: answeredBy ?? "",
      });
      const reply: ToolReply = answeredBy === undefined ? await run(each) : { text: skipped };
      if (reply.answer !== undefined) answeredBy = call.name;
      replies.push(reply);
    }
    return replies;
  }

  /** Answers the one call of a turn in the text form. */
  runText(
    turn: RunScope,
    action: { readonly tool: string; readonly input: string },
  ): Promise<ToolReply> {
    const name = this.#box.findClosest(action.tool)?.safeName ?? action.tool;
    return this.#run(placeOf(turn, `${keySegment(name)}#0`), {
      name: action.tool,
      arguments: action.input,
      mode: "text",
    });
  }

  async #run(place: CallPlace, request: Request): Promise<ToolReply> {
    const { errors } = this.#work.prompts;
    const agentRole = this.#work.identity.role;
    const tool =
      request.mode === "text" ? this.#box.findClosest(request.name) : this.#box.find(request.name);
    if (tool === undefined) {
      const names = this.#box.names.join(", ") || "none";
      const text =
        request.name.trim() === ""
          ? fill(errors.missingToolName, { tools: names })
          : fill(request.mode === "text" ? errors.wrongToolName : errors.unknownTool, {
              tool: request.name,
              tools: names,
            });
      place.call.emit("tool_selection_error", { toolName: request.name, agentRole, error: text });
      return { text };
    }
    const parsed = parseToolArguments(request.arguments, request.mode);
    if (parsed.kind === "error") {
      const error = parsed.message;
      place.call.emit("tool_validate_input_error", {
        toolName: tool.safeName,
        toolArgs: request.arguments,
        agentRole,
        error,
      });
      return { text: this.#badArguments(tool, error) };
    }
    const refusal = this.#refusal(tool, parsed.value, request.mode);
    if (refusal !== undefined) return { text: refusal };
    return this.#call(place, tool, parsed.value);
  }

  /** Why a call is not carried out although it could be; undefined when it is. */
  #refusal(tool: Tool, input: JsonObject, mode: "native" | "text"): string | undefined {
    const { errors } = this.#work.prompts;
    if (mode === "text" && callText(tool, input) === this.#lastCall)
      return fill(errors.taskRepeatedUsage, { tool: tool.safeName });
    const uses = this.#uses.get(tool) ?? 0;
    if (tool.maxUsageCount !== undefined && uses >= tool.maxUsageCount) {
      return fill(errors.toolUsageLimit, {
        tool: tool.safeName,
        limit: String(tool.maxUsageCount),
      });
    }
    this.#uses.set(tool, uses + 1);
    return undefined;
  }

  async #call(place: CallPlace, tool: Tool, input: JsonObject): Promise<ToolReply> {
    const { identity, cache, deadlineAtMs } = this.#work;
    const agentRole = identity.role;
    const outcome = await callTool(place.call, { tool, input, agentRole, cache, deadlineAtMs });
    const failed = outcome.kind === "failure";
    if (!failed) this.#lastCall = callText(tool, input);
    const text = failed ? this.#failureText(tool, outcome.error) : outcome.text;
    await notifyStep(place.callback, this.#work, {
      kind: "tool_result",
      agentRole,
      toolName: tool.safeName,
      toolArgs: input,
      result: text,
      failed,
    });
    const reply = { text: cut(text, MAX_TOOL_TEXT) };
    return !failed && tool.resultAsAnswer ? { ...reply, answer: text } : reply;
  }

  #failureText(tool: Tool, error: EngineError): string {
    if (error.code === "invalid_input") return this.#badArguments(tool, error.message);
    const { toolUsageException } = this.#work.prompts.errors;
    return fill(toolUsageException, {
      tool: tool.safeName,
      error: error.message,
      tool_inputs: JSON.stringify(tool.parameters),
    });
  }

  #badArguments(tool: Tool, error: string): string {
    const { toolArgumentsError } = this.#work.prompts.errors;
    return fill(toolArgumentsError, {
      tool: tool.safeName,
      error,
      schema: JSON.stringify(tool.parameters),
    });
  }
}

/** Calls the agent's step callback, once however often the run is replayed. */
export async function notifyStep(
  scope: RunScope,
  { stepCallback }: AgentWork,
  step: AgentFinish | ToolResult,
): Promise<void> {
  if (stepCallback === undefined) return;
  await scope.callOnce(async () => {
    await stepCallback(step);
  });
}

/** `tool:<name>#<n>`, n counting the calls of one tool within the turn. */
function withPlaces(
  turn: RunScope,
  calls: readonly ToolCall[],
): Array<{ readonly call: ToolCall; readonly place: CallPlace }> {
  const counts = new Map<string, number>();
  return calls.map((call) => {
    const safeName = keySegment(call.name);
    const count = counts.get(safeName) ?? 0;
    counts.set(safeName, count + 1);
    return { call, place: placeOf(turn, `${safeName}#${count}`) };
  });
}

/** The callback stands beside the call, not below it: what lies below a finished step is not asked for again. */
function placeOf(turn: RunScope, label: string): CallPlace {
  return { call: turn.at(`tool:${label}`), callback: turn.at(`step-callback:${label}`) };
}

function callText(tool: Tool, input: JsonObject): string {
  return `${tool.safeName} ${JSON.stringify(input)}`;
}
