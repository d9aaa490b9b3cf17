// Execution of a model's tool calls.
//
//   TO1. The shown length of a result is limited: by the tool's limit, else the agent's, else as many characters as the
//        model's window has tokens, about a quarter of it, and at least 16,384, but no more than half of the window. Of
//        a longer result the model sees the beginning and reads the rest in parts (kept-results.ts), or the result is
//        cut with a note. Both emit an event.
//   TO2. A use of a tool is a run of its code. Invalid arguments and cached results do not count as uses.
//   TO3. One message may make a limited number of calls. The reply to further calls asks the model to repeat them.
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ToolCall } from "../../llm/language-model.ts";
import { callTool } from "../../tools/call-tool.ts";
import type { InnerCaller } from "../../tools/inner-caller.ts";
import { knownArguments, parseToolArguments } from "../../tools/tool-arguments.ts";
import type { ToolBox } from "../../tools/tool-box.ts";
import { failureText, toolFailure } from "../../tools/tool-failure.ts";
import type { ToolWork } from "../../tools/tool-report.ts";
import type { ResultImage } from "../../tools/tool-result.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";
import { describeTools, fill } from "../prompts/prompts.ts";
import { callerOf, policyOf, recordFailure } from "./call-failure.ts";
import { placeOf, withPlaces, type CallPlace } from "./call-place.ts";
import { mayPass } from "./may-pass.ts";
import { shownResult, type KeepResults } from "./shown-result.ts";
import { notifyStep } from "./step-callback.ts";
import { badArguments, editedText, failedText } from "./tool-error-texts.ts";
import { approve, isNamed, mayAskFirst, type Approval } from "./tool-approval.ts";
import { afterToolCall, beforeToolCall, type FinishedCall } from "../../tools/tool-hooks.ts";

/** Number of calls in the text form after which the tools are listed again. */
const TOOLS_NAMED_EVERY = 3;

/** Text for the model after a call, and the answer of the task if the call produced it. */
export type ToolReply = {
  readonly text: string;
  readonly answer?: string;
  /** Images for models with vision. */
  readonly images?: readonly ResultImage[];
  /**
   * Failure of code around the call, such as a callback. It ends the execution, which may then continue in another one.
   */
  readonly failure?: { readonly error: unknown } | undefined;
};

type CallRequest = {
  readonly name: string;
  readonly arguments: string;
  readonly mode: "native" | "text";
};

/** Carries out tool calls for one piece of work, and counts them. */
export class ToolRunner {
  readonly #work: AgentWork;
  #box: ToolBox;
  readonly #keep: KeepResults | undefined;
  readonly #uses: Map<Tool, number>;
  /** Makes the calls that tools make to other tools. */
  readonly #inner: InnerCaller;
  #textCalls = 0;
  /** Last successful call. */
  #lastCall = "";

  /** `keep` creates the storage for too long results. @default they are cut */
  constructor(work: AgentWork, box: ToolBox, keep?: KeepResults) {
    this.#work = work;
    this.#box = box;
    this.#keep = keep;
    this.#uses = work.toolUses ?? new Map();
    const { hooks, agent } = work;
    this.#inner = { hooks, asksFirst: (tool) => isNamed(agent, tool) };
  }

  /** Calls tools of another box from now on. */
  useBox(box: ToolBox): void {
    this.#box = box;
  }

  /**
   * Answers the calls of one turn, in their order. They run at once, unless an order is required, or one of them may
   * end the task or has a limit of uses: then they run one after another, and calls after an answer are skipped.
   */
  async runAll(
    turn: RunScope,
    calls: readonly ToolCall[],
    options: { readonly inOrder?: boolean } = {},
  ): Promise<readonly ToolReply[]> {
    const { agent, prompts, identity } = this.#work;
    const { maxToolCallsPerTurn } = agent;
    if (calls.length > maxToolCallsPerTurn) {
      const limit = String(maxToolCallsPerTurn);
      turn.emit("agent_warning", {
        agentRole: identity.role,
        message: `the model made ${calls.length} tool calls in one message; ${limit} of them are carried out (maxToolCallsPerTurn)`,
      });
      const made = await this.runAll(turn, calls.slice(0, maxToolCallsPerTurn), options);
      const refused = calls.slice(maxToolCallsPerTurn).map(({ name }) => ({
        text: fill(prompts.errors.tooManyToolCalls, { tool: name, limit }),
      }));
      return [...made, ...refused];
    }
    const placed = withPlaces(turn, calls);
    const inOrder =
      options.inOrder === true ||
      calls.some(({ name }) => {
        const tool = this.#box.find(name);
        return tool !== undefined && (tool.resultAsAnswer || tool.maxUsageCount !== undefined);
      });
    const run = ({ call, place }: (typeof placed)[number]): Promise<ToolReply> =>
      this.#answer(place, { ...call, mode: "native" });
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
      if (reply.answer !== undefined || reply.failure !== undefined) answeredBy = call.name;
      replies.push(reply);
    }
    return replies;
  }

  /** Answers the one call of a turn in the text form. After every third call the tools are listed again. */
  async runText(
    turn: RunScope,
    action: { readonly tool: string; readonly input: string },
  ): Promise<ToolReply> {
    const name = this.#box.findClosest(action.tool)?.safeName ?? action.tool;
    const reply = await this.#answer(placeOf(turn, `${keySegment(name)}#0`), {
      name: action.tool,
      arguments: action.input,
      mode: "text",
    });
    if (++this.#textCalls % TOOLS_NAMED_EVERY > 0) return reply;
    const tools = fill(this.#work.prompts.slices.tools, {
      tools: describeTools(this.#box.specs),
      tool_names: this.#box.specs.map((spec) => spec.name).join(", "),
    });
    return { ...reply, text: `${reply.text}\n\n${tools}` };
  }

  /** Answers a call by code of another framework. Its step is the next `tool:<label>` below `scope`. */
  runForeign(scope: RunScope, label: string, call: Omit<CallRequest, "mode">): Promise<ToolReply> {
    const place = scope.atNext(`tool:${label}`);
    const ownLabel = place.path.slice(place.path.lastIndexOf("/tool:") + "/tool:".length);
    return this.#run({ call: place, beside: scope, label: ownLabel }, { ...call, mode: "native" });
  }

  /**
   * Like `#run`, but also replies if code around the call fails in a transient way: the calls beside it have ended then
   * (AL8).
   */
  async #answer(place: CallPlace, request: CallRequest): Promise<ToolReply> {
    try {
      return await this.#run(place, request);
    } catch (error) {
      if (!mayPass(error)) throw error;
      const { toolNotRun } = this.#work.prompts.errors;
      const text = fill(toolNotRun, { tool: request.name, error: errorMessage(error) });
      return { text, failure: { error } };
    }
  }

  async #run(place: CallPlace, request: CallRequest): Promise<ToolReply> {
    const { errors } = this.#work.prompts;
    const agentRole = this.#work.identity.role;
    const isText = request.mode === "text";
    const tool = isText ? this.#box.findClosest(request.name) : this.#box.find(request.name);
    if (tool === undefined) {
      const names = this.#box.names.join(", ") || "none";
      const text =
        request.name.trim() === ""
          ? fill(errors.missingToolName, { tools: names })
          : fill(isText ? errors.wrongToolName : errors.unknownTool, {
              tool: request.name,
              tools: names,
            });
      place.call.emit("tool_selection_error", { toolName: request.name, agentRole, error: text });
      const { name: toolName, arguments: toolArgs } = request;
      const failure = toolFailure({ message: text, reason: "unknown_tool", code: toolName });
      recordFailure(place.call, this.#work, { toolName, toolArgs, failure });
      return { text };
    }
    const toolName = tool.safeName;
    const parsed = parseToolArguments(request.arguments, request.mode);
    if (parsed.kind === "error") {
      const toolArgs = request.arguments;
      const error = parsed.message;
      place.call.emit("tool_validate_input_error", { toolName, toolArgs, agentRole, error });
      const failure = toolFailure({ message: error, reason: "invalid_input" });
      recordFailure(place.call, this.#work, { tool, toolName, toolArgs, failure });
      return { text: badArguments(this.#work.prompts, tool, error) };
    }
    // Hooks, people and the cache see the final input of the tool.
    const typed = tool.typed?.(parsed.value) ?? parsed.value;
    const input = isText ? knownArguments(typed, tool) : typed;
    if (this.#isRepeated(tool, input, request.mode))
      return { text: fill(errors.taskRepeatedUsage, { tool: toolName }) };
    if (tool.maxUsageCount !== undefined && this.#usesOf(tool) >= tool.maxUsageCount) {
      const limit = String(tool.maxUsageCount);
      const text = fill(errors.toolUsageLimit, { tool: toolName, limit });
      const failure = toolFailure({ message: text, reason: "usage_limit" });
      recordFailure(place.call, this.#work, { tool, toolName, toolArgs: input, failure });
      return { text };
    }
    return this.#call(place, tool, input);
  }

  /** True if the call equals the last successful one and agent and tool refuse repeats. */
  #isRepeated(tool: Tool, input: JsonObject, mode: CallRequest["mode"]): boolean {
    const refuses = this.#work.agent.refuseRepeats ?? mode === "text";
    return refuses && tool.allowRepeat !== true && callText(tool, input) === this.#lastCall;
  }

  async #call(place: CallPlace, tool: Tool, asked: JsonObject): Promise<ToolReply> {
    const { identity } = this.#work;
    const done = await this.#perform(place, tool, asked);
    const { outcome, input } = done;
    if (outcome === "result") this.#lastCall = callText(tool, asked);
    const { label } = place;
    const { hooks, stepCallback } = this.#work;
    let { text } = done;
    let failed: { readonly error: unknown } | undefined;
    try {
      if (hooks !== undefined)
        text = await afterToolCall(place.beside, hooks, { label, tool, done });
      if (stepCallback !== undefined)
        await notifyStep(place.beside.at(`step-callback:${label}`), this.#work, {
          kind: "tool_result",
          agentRole: identity.role,
          toolName: tool.safeName,
          toolArgs: input,
          result: text,
          failed: outcome !== "result",
        });
    } catch (error) {
      if (!mayPass(error)) throw error;
      failed = { error };
    }
    if (done.failure !== undefined) {
      const { failure } = done;
      recordFailure(place.call, this.#work, {
        tool,
        toolName: tool.safeName,
        toolArgs: input,
        failure,
      });
    }
    if (done.raised !== undefined) throw new EngineError(done.raised.code, done.raised.message);
    const { untrusted, images, final = tool.resultAsAnswer } = done.extras ?? {};
    const mayKeep = outcome === "result" && !final;
    const shown = await shownResult(place.call, this.#work, {
      tool,
      text,
      writers: untrusted ?? [],
      keep: mayKeep ? this.#keep : undefined,
    });
    const reply = {
      text:
        done.edited === true
          ? editedText(this.#work.prompts, tool, { input, result: shown })
          : shown,
      ...(images === undefined ? undefined : { images }),
      ...(failed === undefined ? undefined : { failure: failed }),
    };
    return outcome === "result" && final ? { ...reply, answer: text } : reply;
  }

  /** The call itself, if hooks and people let it be made. */
  async #perform(place: CallPlace, tool: Tool, asked: JsonObject): Promise<FinishedCall> {
    const { agent, prompts, cache, deadlineAtMs, hooks } = this.#work;
    const { errors } = prompts;
    const { safeName } = tool;
    const before =
      hooks === undefined
        ? { value: asked }
        : await beforeToolCall(place.beside, hooks, { label: place.label, tool, input: asked });
    if (before.abort !== undefined) {
      const { reason } = before.abort;
      const text = fill(errors.toolBlocked, { tool: safeName, reason }).trimEnd();
      return { outcome: "blocked", input: before.value, text };
    }
    const caller = callerOf(this.#work);
    const approval: Approval = mayAskFirst(agent, tool)
      ? await approve(place.beside, {
          label: place.label,
          tool,
          input: before.value,
          agent,
          caller,
        })
      : { approved: true, input: before.value, edited: false };
    if (!approval.approved) {
      const { reason } = approval;
      const text = fill(errors.toolDenied, { tool: safeName, reason }).trimEnd();
      return { outcome: "blocked", input: before.value, text };
    }
    const { input, edited } = approval;
    this.#uses.set(tool, this.#usesOf(tool) + 1);
    const ignoresFailure = policyOf(this.#work, tool) === "ignore";
    const called = await callTool(place.call, {
      tool,
      input,
      caller,
      cache,
      deadlineAtMs,
      ignoresFailure,
      isTyped: input === asked,
      inner: this.#inner,
    });
    if (!called.ran) this.#uses.set(tool, this.#usesOf(tool) - 1);
    this.#work.counters?.add(tool, called);
    if (called.kind === "result") {
      const { text, raw, work, extras } = called;
      this.#account(work);
      const ended = work?.raised === undefined ? undefined : { raised: work.raised };
      return { outcome: "result", input, text, raw, edited, extras, ...ended };
    }
    const { failure, error } = called;
    const text =
      error === undefined ? failureText(failure) : failedText(this.#work.prompts, tool, error);
    return { outcome: "failure", input, text, raw: () => failure.message, failure, edited };
  }

  #usesOf(tool: Tool): number {
    return this.#uses.get(tool) ?? 0;
  }

  /** Adds the usage and failures of agents started by the tool. */
  #account(work: ToolWork | undefined): void {
    if (work === undefined) return;
    this.#work.meter.add(work.usage);
    for (const record of work.failures ?? []) this.#work.failures?.add(record);
  }
}

function callText(tool: Tool, input: JsonObject): string {
  return `${tool.safeName} ${JSON.stringify(input)}`;
}
