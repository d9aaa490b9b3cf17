// The agent loop: model and tools in turns, until there is an answer.
//
//   AL1. One turn is one model call; after `maxIter` turns a user message asks the model to answer without tools.
//   AL2. Tools are called natively if the model supports it, else in the text form (see react-parser.ts). Calls left in
//        the text by a native model's server count as calls.
//   AL3. In the text form a message without any action is the answer, unless the agent is `strictReact`. Half an action
//        is sent back for correction.
//   AL6. A call in a message cut by its length limit is never executed, in any form: the rest of a cut call can look
//        whole and do harm.
//   AL7. A tool result never appears as the model's own words: it comes in a message of the tool, or of the user.
//   AL4. On a full context window the conversation is summarised and continues, or fails, as the agent is configured.
//        It also fails if the summary itself is too long.
//   AL5. A reviewed answer is sent back in the same conversation, at `revision:<n>`, with a full number of turns, for
//        every refusal of the review.
//   AL8. A failed execution can continue: its conversation stays in `progress`, with a reply to each call of its last
//        message, failed and skipped calls included.
//  AL10. Messages sent to the run stand in the conversation before the next model call. An answer is not the last word
//        while such a message is pending: the conversation continues with it.
//  AL11. A model call or tool ended by a message costs a turn; the conversation continues.
//   AL9. An answer cut by the limit of the run's caller is final, even if it is a cut call (WI4).
import { EngineError, errorMessage, unreachable } from "../../base/error.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ContentPart, Message, ModelResponse, ToolCall } from "../../llm/language-model.ts";
import type { ToolBox } from "../../tools/tool-box.ts";
import type { FailureMark } from "../../tools/tool-failure.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import { firstMessages, responseStops, withAttachments } from "../prompts/first-messages.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { describeTools, fill, type Prompts } from "../prompts/prompts.ts";
import { callsIn } from "./call-forms.ts";
import type { AnswerForm } from "./final-answer.ts";
import type { KeptResults } from "./kept-results.ts";
import { observed } from "./observation.ts";
import { cutAtObservation, parseReAct } from "./react-parser.ts";
import { readAnswer } from "./read-answer.ts";
import { refusesTools } from "./refuses-tools.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../model-calls/answer-shape.ts";
import { summarize } from "./summarize.ts";
import { shownTools, type ShownTools } from "./shown-tools.ts";
import { notifyStep } from "./step-callback.ts";
import { wordedMail } from "./worded-mail.ts";
import { imageParts, isShownImages, namingImages, type PicturedReply } from "./tool-images.ts";
import { ToolRunner, type ToolReply } from "./tool-round.ts";
import { Transcript } from "../../model-calls/transcript.ts";

/** Prompt texts for each mode: the end of the system text, and the frame of the task. */
const SLICES = {
  native: { system: "nativeTools", user: "nativeTask" },
  text: { system: "tools", user: "task" },
  none: { system: "noTools", user: "taskNoTools" },
} as const satisfies Record<
  AnswerForm,
  { system: keyof Prompts["slices"]; user: keyof Prompts["slices"] }
>;

/** Beginning and limits of a loop for only a part of the work, such as a step of a plan. */
export type LoopFrame = {
  /** Identity and role of the agent, in place of the usual text. */
  readonly head: string;
  readonly user: string;
  readonly maxIter: number;
};

/** Result of a turn: the answer, or undefined for another turn. */
type TurnResult = { readonly answer: string } | undefined;

/** The progress of an answer through its reviews. */
export type ReviewProgress = {
  round: number;
  /** Conversation at the start of the round; undefined for the first round. */
  messages: readonly Message[] | undefined;
  /** The tool failures before the round. */
  failures?: FailureMark | undefined;
  /** True if an execution without a resumable conversation has recorded tool calls. */
  hasActed?: boolean | undefined;
  /** Conversation up to the failure. */
  reached?: readonly Message[] | undefined;
};

export function initialProgress(): ReviewProgress {
  return { round: 1, messages: undefined };
}

/** The answer was sent back: another execution of the work continues with `messages`. */
export function beginRound(
  progress: ReviewProgress,
  { failures }: AgentWork,
  messages: readonly Message[],
): void {
  progress.messages = messages;
  progress.failures = failures?.mark();
  progress.round++;
}

/**
 * Lets the next execution continue from the failure of this one, after `message`. Returns false if the point of failure
 * is unknown.
 */
export function goOn(progress: ReviewProgress, message: string): boolean {
  const { reached } = progress;
  if (reached === undefined) return false;
  progress.messages = [...reached, { role: "user", content: message }];
  progress.reached = undefined;
  return true;
}

/**
 * Returns the answer that passes the review, if there is one. Keeps in `progress` the point at which another execution
 * continues.
 */
export async function runAgentLoop(
  scope: RunScope,
  work: AgentWork,
  progress: ReviewProgress,
): Promise<string> {
  const { messages } = progress;
  const loop = new AgentLoop(scope, work, messages === undefined ? undefined : { messages });
  try {
    for (;;) {
      const { round } = progress;
      const answer = await loop.run(round === 1 ? scope : scope.at(`revision:${round - 1}`));
      const message = await work.review?.({ scope, answer, round });
      if (message === undefined) {
        const said: Message = { role: "assistant", content: answer };
        if (work.notes !== undefined) work.notes.messages = [...loop.messages, said];
        await notifyStep(scope.at("step-callback"), work, {
          kind: "finish",
          agentRole: work.identity.role,
          output: answer,
        });
        return answer;
      }
      beginRound(progress, work, loop.addReview(message));
    }
  } catch (error) {
    progress.reached = [...loop.messages];
    throw error;
  }
}

export class AgentLoop {
  /** Tools called by the model, by the name the model knows. */
  readonly calledTools = new Set<string>();
  #work: AgentWork;
  readonly #scope: RunScope;
  /** Results too long for the conversation; undefined until there is one. */
  #kept: Promise<KeptResults> | undefined;
  #shown: ShownTools;
  #tools: ToolRunner;
  readonly #transcript: Transcript;
  readonly #frame: LoopFrame | undefined;
  /** Form of tool calls: native, in the text form, or without tools. */
  #mode: AnswerForm;
  /** True while the conversation is only the summary of a longer one. */
  #shortened = false;
  /** True once the provider has refused its own tools. */
  #builtinRefused = false;
  /** True once the provider has refused the tool for the shape of the answer. */
  #shapeRefused = false;
  /** The answer as the model gave it; undefined when a tool gave it. */
  #answered: Message | undefined;

  /** The conversation begins with `begin.messages`, or in the agent's usual way; the date is read at `scope`. */
  constructor(
    scope: RunScope,
    work: AgentWork,
    begin: { readonly messages?: readonly Message[]; readonly frame?: LoopFrame } = {},
  ) {
    this.#work = work.toolUses === undefined ? changedWork(work, { toolUses: new Map() }) : work;
    this.#scope = scope;
    this.#frame = begin.frame;
    this.#shown = shownTools(work, { services: scope.services, messages: begin.messages });
    const keep = work.agent.useBetterCompaction
      ? () => (this.#kept ??= this.#keptResults())
      : undefined;
    this.#tools = new ToolRunner(this.#work, this.#box, keep);
    this.#mode = this.#formOfCalls();
    this.#transcript = new Transcript(begin.messages ?? this.#firstMessages(scope));
  }

  get messages(): readonly Message[] {
    return this.#transcript.messages;
  }

  get #box(): ToolBox {
    return this.#shown.box;
  }

  #formOfCalls(): AnswerForm {
    if (this.#box.size === 0) return "none";
    return this.#work.model.capabilities.tools ? "native" : "text";
  }

  async run(scope: RunScope): Promise<string> {
    const { maxIter } = this.#frame ?? this.#work.agent;
    let last: { readonly place: RunScope; readonly result: TurnResult } | undefined;
    for (let turn = 1; turn <= maxIter; turn++) {
      const place = scope.at(`turn:${turn}`);
      const isAddressed = this.#receive(place, last?.result && last.place);
      if (last?.result !== undefined && !isAddressed) return last.result.answer;
      const response = await this.#ask(place);
      last = response && { place, result: await this.#takeTurn(place, response) };
    }
    return last?.result?.answer ?? this.#forceAnswer(scope);
  }

  /**
   * Adds the messages sent to this agent; returns false without any. `answered` is the place of an answer that the
   * conversation may end with.
   */
  #receive(place: RunScope, answered?: RunScope): boolean {
    const { identity, agent, taskName, mail: wanted = "steer", prompts } = this.#work;
    if (wanted === "none") return false;
    const names = [identity.role, agent.role, ...(taskName === undefined ? [] : [taskName])];
    const queue = wanted === "task" || (wanted === "turn" && answered) ? wanted : undefined;
    const mail = place.mail({ names, ...(queue && { queue }) }, answered && { after: answered });
    if (mail.length === 0) return false;
    if (answered !== undefined && this.#answered !== undefined)
      this.#transcript.add(this.#answered);
    for (const message of mail)
      this.#transcript.add({ role: "user", content: wordedMail(message, prompts) });
    return true;
  }

  /** Adds a reviewer's message after an answer, and returns the conversation so far. */
  addReview(message: string): readonly Message[] {
    if (this.#answered !== undefined) this.#transcript.add(this.#answered);
    this.#transcript.add({ role: "user", content: message });
    return [...this.#transcript.messages];
  }

  async #takeTurn(place: RunScope, response: ModelResponse): Promise<TurnResult> {
    const { text, toolCalls, providerParts } = response;
    this.#answered = undefined;
    this.#ends(response);
    if (this.#isCutByCaller(response)) {
      const content = answerByTool(response) ?? text;
      this.#answered = { role: "assistant", content };
      return { answer: this.#read(content) };
    }
    if (response.finishReason === "no_answer") {
      const message = `${this.#work.model.id} has no answer to this`;
      place.emit("agent_warning", { agentRole: this.#work.identity.role, message });
    }
    const shaped = this.#mode === "none" ? answerByTool(response) : undefined;
    if (shaped === undefined && toolCalls.length > 0) return this.#nativeTurn(place, response);
    const written = this.#mode === "native" ? this.#writtenCalls(text) : undefined;
    if (written !== undefined) {
      const made = written.calls.map((call) => ({ ...call, id: "" }));
      return this.#nativeTurn(place, { ...response, text: written.before, toolCalls: made });
    }
    this.#answered = {
      role: "assistant",
      content: shaped ?? text,
      ...(providerParts === undefined || shaped !== undefined ? undefined : { providerParts }),
    };
    if (this.#mode === "text") return this.#textTurn(place, response);
    return { answer: shaped ?? this.#read(text) };
  }

  #ends({ finishReason }: ModelResponse): void {
    const { counters } = this.#work;
    if (counters !== undefined) counters.finishReason = finishReason;
  }

  /** True for an answer whose length the caller of the run limits (AL9). */
  #isCutByCaller({ end }: ModelResponse): boolean {
    return end === "cut" && this.#work.caller?.keepsCut === true;
  }

  /** Returns calls in the text of a model with native calls. */
  #writtenCalls(text: string): ReturnType<typeof callsIn> {
    const written = callsIn(text, this.#knowsTool);
    const isCall =
      written?.isQuoted === false && written.calls.some(({ name }) => this.#knowsTool(name));
    return isCall ? written : undefined;
  }

  readonly #isCall = (text: string): boolean => {
    if (this.#mode !== "text")
      return this.#mode === "native" && this.#writtenCalls(text) !== undefined;
    const own = cutAtObservation(text, this.#work.prompts.slices.observation);
    return parseReAct(own, this.#knowsTool).kind === "action";
  };

  readonly #knowsTool = (name: string): boolean => this.#box.find(name) !== undefined;

  #read(text: string): string {
    const { observation } = this.#work.prompts.slices;
    return readAnswer(text, { form: this.#mode, marker: observation });
  }

  /** The model's next message; undefined when the turn was spent on mending the conversation. */
  async #ask(place: RunScope): Promise<ModelResponse | undefined> {
    try {
      const response = await this.#call(place);
      this.#shortened = false;
      return response;
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      if (error.code === "interrupted") return undefined;
      if (
        error.code === "context_window_exceeded" &&
        this.#work.agent.respectContextWindow &&
        !this.#shortened
      ) {
        this.#shortened = true;
        await this.#shorten(place);
        return undefined;
      }
      if (this.#shown.request.builtinTools !== undefined && error.code === "model_rejected") {
        this.#replaceBuiltins(place, error);
        return undefined;
      }
      if (this.#mode === "native" && refusesTools(error)) {
        this.#mode = "text";
        this.#transcript.add({ role: "user", content: this.#toolInstructions() });
        return undefined;
      }
      if (refusesShape(this.#shape(false), error)) {
        this.#shapeRefused = true;
        return undefined;
      }
      throw error;
    }
  }

  async #shorten(place: RunScope): Promise<void> {
    const { identity, taskName, model } = this.#work;
    const named = {
      agentRole: identity.role,
      ...(taskName === undefined ? undefined : { taskName }),
      model: model.id,
    };
    const inner = place.open("context_window_summarization_started", named);
    try {
      const messages = await summarize(inner.at("summary"), this.#transcript.messages, this.#work);
      this.#transcript.replace(messages);
    } catch (error) {
      place.emit("context_window_summarization_failed", { ...named, error: errorMessage(error) });
      throw error;
    }
    place.emit("context_window_summarization_completed", named);
  }

  async #keptResults(): Promise<KeptResults> {
    const { names } = this.#box;
    const { KeptResults: Kept } = await this.#scope.load(() => import("./kept-results.ts"));
    return new Kept(this.#work.prompts, names);
  }

  /** Gives the model the reader of long results, once there is one to read. */
  async #offerReader(): Promise<void> {
    if (this.#kept === undefined) return;
    const { reader } = await this.#kept;
    if (this.#work.tools.includes(reader)) return;
    this.#work = changedWork(this.#work, { tools: [...this.#work.tools, reader] });
    this.#shown = this.#showTools();
    this.#tools.useBox(this.#box);
  }

  #showTools(): ShownTools {
    return shownTools(this.#work, {
      services: this.#scope.services,
      messages: this.messages,
      builtinRefused: this.#builtinRefused,
    });
  }

  /**
   * Continues with replacements for tools refused by the provider. Throws `invalid_definition` if there is no
   * replacement.
   */
  #replaceBuiltins(place: RunScope, { message }: EngineError): void {
    const kinds = this.#shown.request.builtinTools?.map(({ kind }) => kind).join(", ");
    this.#builtinRefused = true;
    this.#shown = this.#showTools();
    this.#tools.useBox(this.#box);
    this.#mode = this.#formOfCalls();
    place.emit("agent_warning", {
      agentRole: this.#work.identity.role,
      message: `${this.#work.model.id} refused its own tools (${kinds}), and ours take their place: ${message}`,
    });
  }

  /**
   * Returns the request fields for the shape of the answer, in a turn for the answer. While the model has tools of the
   * agent there is no shape.
   */
  #shape(lastCall: boolean): ReturnType<typeof shapeRequest> {
    const { model, answerSchema } = this.#work;
    if (answerSchema === undefined || !(this.#mode === "none" || lastCall)) return undefined;
    const shape = shapeRequest(model, answerSchema);
    const fits = shape?.tools === undefined || (this.#mode === "none" && !this.#shapeRefused);
    return fits ? shape : undefined;
  }

  #call(place: RunScope, options: { readonly lastCall?: boolean } = {}): Promise<ModelResponse> {
    const { agent, prompts, stream, caller } = this.#work;
    const lastCall = options.lastCall === true;
    const withTools = this.#mode === "native" ? { tools: this.#box.specs } : undefined;
    const observation = this.#mode === "text" ? [prompts.slices.observation] : [];
    const stop = [...observation, ...responseStops(agent), ...(caller?.stop ?? [])];
    return callModel(place, this.#work, {
      request: {
        messages: this.#transcript.messages,
        ...withTools,
        ...this.#shown.request,
        ...caller?.fieldsFor({ tools: withTools?.tools, called: this.calledTools }),
        ...(lastCall ? { toolChoice: "none" } : undefined),
        ...(stop.length > 0 ? { stop } : undefined),
        ...this.#shape(lastCall),
      },
      inputHash: this.#transcript.hash,
      purpose: "turn",
      stream,
      isCall: this.#isCall,
      keepsCut: caller?.keepsCut,
    });
  }

  #cutOff(tool: string): string {
    return fill(this.#work.prompts.errors.toolCallCutOff, { tool });
  }

  async #nativeTurn(place: RunScope, response: ModelResponse): Promise<TurnResult> {
    const { text, toolCalls, providerParts } = response;
    const calls = toolCalls.map((call, index): ToolCall =>
      call.id === "" ? { ...call, id: `call_${fingerprint(place.path)}_${index}` } : call,
    );
    for (const { name } of calls) this.calledTools.add(name);
    const replies: readonly ToolReply[] =
      response.finishReason === "length"
        ? calls.map(({ name }) => ({ text: this.#cutOff(name) }))
        : await this.#tools.runAll(place, calls);
    this.#transcript.add({
      role: "assistant",
      content: text,
      toolCalls: calls.map((call) => ({ ...call, name: this.#box.nameFor(call.name) })),
      ...(providerParts === undefined ? undefined : { providerParts }),
    });
    for (const [index, { id, name }] of calls.entries()) {
      this.#transcript.add({
        role: "tool",
        toolCallId: id,
        toolName: this.#box.nameFor(name),
        content: this.#worded(replies[index]),
      });
    }
    const pictured = replies.map(({ images }, index) => ({
      toolName: this.#box.nameFor(calls[index]?.name ?? ""),
      images,
    }));
    const content = this.#imagesOf(pictured);
    if (content !== undefined) this.#transcript.add({ role: "user", content });
    throwFailed(replies);
    await this.#offerReader();
    return answerAmong(replies);
  }

  /** Returns the text of a reply; for a model without vision it names the images. */
  #worded({ text, images }: ToolReply = { text: "" }): string {
    const { model, prompts } = this.#work;
    return isShownImages(model) ? text : namingImages(text, images, prompts);
  }

  #imagesOf(replies: readonly PicturedReply[]): readonly ContentPart[] | undefined {
    const { model, prompts } = this.#work;
    return isShownImages(model) ? imageParts(replies, prompts) : undefined;
  }

  async #textTurn(place: RunScope, response: ModelResponse): Promise<TurnResult> {
    const { observation } = this.#work.prompts.slices;
    const text = cutAtObservation(response.text, observation);
    const parsed = parseReAct(text, this.#knowsTool);
    switch (parsed.kind) {
      case "finish":
        return { answer: parsed.output };
      case "error": {
        if (parsed.reason === "missing_action" && !this.#work.agent.strictReact)
          return { answer: text.trim() };
        const format = fill(this.#work.prompts.slices.format, {
          tool_names: this.#shownNames,
        });
        const correction = fill(this.#work.prompts.errors.formatError, {
          error: parsed.message,
          format,
        });
        this.#transcript.add({ role: "assistant", content: text });
        this.#transcript.add({ role: "user", content: correction });
        return undefined;
      }
      case "action": {
        this.calledTools.add(parsed.tool);
        const reply: ToolReply =
          response.finishReason === "length"
            ? { text: this.#cutOff(parsed.tool) }
            : await this.#tools.runText(place, parsed);
        this.#transcript.add({ role: "assistant", content: text.trimEnd() });
        const said = observed(this.#worded(reply), this.#work.prompts);
        const images = this.#imagesOf([{ toolName: parsed.tool, images: reply.images }]);
        const content = withAttachments(said, images);
        this.#transcript.add({ role: "user", content });
        throwFailed([reply]);
        await this.#offerReader();
        return answerAmong([reply]);
      }
      default:
        return unreachable(parsed);
    }
  }

  async #forceAnswer(scope: RunScope): Promise<string> {
    const { errors } = this.#work.prompts;
    this.#transcript.add({ role: "user", content: errors.forceFinalAnswer });
    const response = await this.#call(scope.at("final-answer"), { lastCall: true });
    const text = answerByTool(response) ?? response.text;
    this.#answered = { role: "assistant", content: text };
    this.#ends(response);
    if (text.trim() === "" && !this.#isCutByCaller(response))
      throw new EngineError("agent_failed", errors.forceFinalAnswerError);
    return answerByTool(response) ?? this.#read(text);
  }

  #firstMessages(scope: RunScope): Message[] {
    const { identity, prompts, prompt } = this.#work;
    const { head, user } = this.#frame ?? {
      head: fill(prompts.slices.rolePlaying, identity),
      user: fill(prompts.slices[SLICES[this.#mode].user], { input: prompt }),
    };
    const instructions = this.#toolInstructions();
    return firstMessages(scope, this.#work, { head, instructions, user });
  }

  #toolInstructions(): string {
    const slice = this.#work.prompts.slices[SLICES[this.#mode].system];
    const text = fill(slice, {
      tools: describeTools(this.#box.specs),
      tool_names: this.#shownNames,
    });
    const { others } = this.#box;
    if (others === "") return text;
    const listed = fill(this.#work.prompts.slices.otherTools, {
      tools: others,
      search: this.#box.specs.at(-1)?.name ?? "",
    });
    return text === "" ? listed : `${text}\n\n${listed}`;
  }

  get #shownNames(): string {
    return this.#box.specs.map(({ name }) => name).join(", ");
  }
}

/** Throws the failure of code around a call, once the results of all calls are in the conversation (AL8). */
function throwFailed(replies: readonly ToolReply[]): void {
  const failed = replies.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) throw failed.failure?.error;
}

function answerAmong(replies: readonly ToolReply[]): TurnResult {
  const answer = replies.find((reply) => reply.answer !== undefined)?.answer;
  return answer === undefined ? undefined : { answer };
}
