// Execution of a model's tool calls.
//
//   TO1. The shown length of a result is limited: by the tool's limit, else the agent's, else as many characters as the
//        model's window has tokens, about a quarter of it, and at least 16,384, but no more than half of the window. Of
//        a longer result the model sees the beginning and reads the rest in parts (kept-results.ts), or the result is
//        cut with a note. Both emit an event.
//   TO2. A use of a tool is a run of its code. Invalid arguments and cached results do not count as uses.
//   TO3. One message may make a limited number of calls. The reply to further calls asks the model to repeat them.
import { cut } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ToolCall } from "../../llm/language-model.ts";
import { estimateTokens } from "../../llm/token-estimate.ts";
import { callTool } from "../../tools/call-tool.ts";
import type { InnerCaller } from "../../tools/inner-caller.ts";
import { knownArguments, parseToolArguments } from "../../tools/tool-arguments.ts";
import type { ToolBox } from "../../tools/tool-box.ts";
import type { ToolCaller } from "../../tools/tool-context.ts";
import {
  failureText,
  toolFailure,
  type ToolFailure,
  type ToolFailurePolicy,
} from "../../tools/tool-failure.ts";
import type { ToolWork } from "../../tools/tool-report.ts";
import type { ResultImage } from "../../tools/tool-result.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";
import { describeTools, fill } from "../prompts/prompts.ts";
import { placeOf, withPlaces, type CallPlace } from "./call-place.ts";
import type { KeptResults } from "./kept-results.ts";
import { mayPass } from "./may-pass.ts";
import { notifyStep } from "./step-callback.ts";
import { approve, isNamed, mayAskFirst, type Approval } from "./tool-approval.ts";
import { afterToolCall, beforeToolCall, type FinishedCall } from "../../tools/tool-hooks.ts";

/** Minimum limit of a tool's result in characters, for any window size. */
const MIN_SHOWN = 16_384;

/** A shorter text needs no estimate. */
const MOST_TOKENS_OF_CHARACTER = 2;

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

type FailedCall = {
  readonly tool?: Tool;
  readonly toolName: string;
  readonly toolArgs: JsonObject | string;
  readonly failure: ToolFailure;
};

type CallRequest = {
  readonly name: string;
  readonly arguments: string;
  readonly mode: "native" | "text";
};

/** Makes the store of a conversation's long results, when it has the first of them. */
export type KeepResults = () => Promise<KeptResults>;

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
      this.#fail(place, { toolName, toolArgs, failure });
      return { text };
    }
    const toolName = tool.safeName;
    const parsed = parseToolArguments(request.arguments, request.mode);
    if (parsed.kind === "error") {
      const toolArgs = request.arguments;
      const error = parsed.message;
      place.call.emit("tool_validate_input_error", { toolName, toolArgs, agentRole, error });
      const failure = toolFailure({ message: error, reason: "invalid_input" });
      this.#fail(place, { tool, toolName, toolArgs, failure });
      return { text: this.#badArguments(tool, error) };
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
      this.#fail(place, { tool, toolName, toolArgs: input, failure });
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
      this.#fail(place, { tool, toolName: tool.safeName, toolArgs: input, failure });
    }
    if (done.raised !== undefined) throw new EngineError(done.raised.code, done.raised.message);
    const { untrusted, images, final = tool.resultAsAnswer } = done.extras ?? {};
    const mayKeep = outcome === "result" && !final;
    const shown = await this.#shown(place, tool, { text, writers: untrusted ?? [], mayKeep });
    const reply = {
      text: done.edited === true ? this.#editedText(tool, input, shown) : shown,
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
    const caller = this.#caller;
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
    const ignoresFailure = this.#policy(tool) === "ignore";
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
    const text = error === undefined ? failureText(failure) : this.#failureText(tool, error);
    return { outcome: "failure", input, text, raw: () => failure.message, failure, edited };
  }

  #usesOf(tool: Tool): number {
    return this.#uses.get(tool) ?? 0;
  }

  /** Text of external writers is marked as content, not instructions. */
  #marked(text: string, writers: readonly string[]): string {
    if (writers.length === 0) return text;
    return fill(this.#work.prompts.slices.untrusted, { sources: writers.join(", "), text });
  }

  /** Returns the shown part of a text. */
  async #shown(
    { call }: CallPlace,
    tool: Tool,
    {
      text: result,
      writers,
      mayKeep,
    }: { readonly text: string; readonly writers: readonly string[]; readonly mayKeep: boolean },
  ): Promise<string> {
    const text = this.#marked(result, writers);
    const { agent, model, identity } = this.#work;
    const own = tool.maxResultCharacters ?? agent.maxToolResultCharacters;
    const usual = usualLimit(text, model.contextWindow);
    const limit = own ?? usual;
    if (text.length <= limit) return text;
    const kept = mayKeep ? await this.#keep?.() : undefined;
    const whole = { tool: tool.safeName, result, writers };
    const beginning =
      tool === kept?.reader ? undefined : kept?.keep(call.path, whole, { own, usual });
    const shown =
      beginning === undefined
        ? { text: cut(text, limit), shownCharacters: limit }
        : { ...beginning, text: this.#marked(beginning.text, writers) };
    call.emit("tool_result_cut", {
      toolName: tool.safeName,
      agentRole: identity.role,
      characters: result.length,
      shownCharacters: shown.shownCharacters,
    });
    return shown.text;
  }

  /** Adds the usage and failures of agents started by the tool. */
  #account(work: ToolWork | undefined): void {
    if (work === undefined) return;
    this.#work.meter.add(work.usage);
    for (const record of work.failures ?? []) this.#work.failures?.add(record);
  }

  get #caller(): ToolCaller {
    const { identity, taskName, security, toolMemory } = this.#work;
    return {
      agentRole: identity.role,
      ...(taskName === undefined ? undefined : { taskName }),
      ...(security === undefined ? undefined : { security }),
      ...(toolMemory === undefined ? undefined : { memory: toolMemory }),
    };
  }

  #policy(tool: Tool | undefined): ToolFailurePolicy {
    return tool?.toolFailurePolicy ?? this.#work.toolFailurePolicy ?? "warn";
  }

  /** Records a failure and reports it according to the policy. Throws `tool_failure_raised`. */
  #fail({ call }: CallPlace, failed: FailedCall): void {
    const { tool, toolName, toolArgs, failure } = failed;
    const policy = this.#policy(tool);
    if (policy === "ignore") return;
    const { agentRole, taskName } = this.#caller;
    const named = { agentRole, ...(taskName === undefined ? undefined : { taskName }) };
    const record = { toolName, failure: { ...failure }, toolArgs, ...named };
    this.#work.failures?.add(record);
    const { reason, message } = failure;
    call.emit("tool_failure_detected", { ...record, reason, message, policy });
    if (policy === "raise")
      throw new EngineError(
        "tool_failure_raised",
        `tool ${toolName} failed (${reason}) and its policy is to end the task: ${message}`,
      );
  }

  #editedText({ safeName }: Tool, input: JsonObject, result: string): string {
    const { toolInputEdited } = this.#work.prompts.errors;
    return fill(toolInputEdited, { tool: safeName, input: JSON.stringify(input), result });
  }

  #failureText(tool: Tool, error: EngineError): string {
    if (error.code === "invalid_input") return this.#badArguments(tool, error.message);
    const { toolUsageException, toolOutcomeUnknown } = this.#work.prompts.errors;
    if (error.code === "outcome_unknown")
      return fill(toolOutcomeUnknown, { tool: tool.safeName, error: error.message });
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

/** Returns the default number of shown characters: never more than half of the window, in any script. */
function usualLimit(text: string, contextWindow: number): number {
  const limit = Math.max(MIN_SHOWN, contextWindow);
  const half = contextWindow / 2;
  if (text.length <= half / MOST_TOKENS_OF_CHARACTER) return limit;
  const tokens = estimateTokens(text.length > limit ? text.slice(0, limit) : text);
  return tokens <= half ? limit : Math.floor((Math.min(limit, text.length) * half) / tokens);
}

function callText(tool: Tool, input: JsonObject): string {
  return `${tool.safeName} ${JSON.stringify(input)}`;
}
