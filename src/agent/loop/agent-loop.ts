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
//   AL9. An answer cut by the limit of the run's caller is final, even if it is a cut call (WI4).
//  AL10. Messages sent to the run stand in the conversation before the next model call. An answer is not the last word
//        while such a message is pending: the conversation continues with it.
//  AL11. A model call or tool ended by a message costs a turn; the conversation continues.
import { EngineError, errorMessage, unreachable } from "../../base/error.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ModelResponse, ToolCall } from "../../llm/language-model.ts";
import type { ToolBox } from "../../tools/tool-box.ts";
import type { AgentWork } from "../agent-work.ts";
import { firstMessages, responseStops, withAttachments } from "../prompts/first-messages.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { fill } from "../prompts/prompts.ts";
import { callsIn } from "./call-forms.ts";
import type { AnswerForm } from "./final-answer.ts";
import { observed } from "./observation.ts";
import { cutAtObservation, parseReAct } from "./react-parser.ts";
import { readAnswer } from "./read-answer.ts";
import { refusesTools } from "./refuses-tools.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../model-calls/answer-shape.ts";
import { summarize } from "./summarize.ts";
import { notifyStep } from "./step-callback.ts";
import { wordedMail } from "./worded-mail.ts";
import { LoopTools } from "./loop-tools.ts";
import { beginRound, type ReviewProgress } from "./review-progress.ts";
import { shownNames, taskText, toolInstructions } from "./tool-instructions.ts";
import { answerAmong, imagesOf, throwFailed, worded } from "./tool-replies.ts";
import type { ToolReply } from "./tool-round.ts";
import { Transcript } from "../../model-calls/transcript.ts";

/** Beginning and limits of a loop for only a part of the work, such as a step of a plan. */
export type LoopFrame = {
  /** Identity and role of the agent, in place of the usual text. */
  readonly head: string;
  readonly user: string;
  readonly maxIter: number;
};

/** Result of a turn: the answer, or undefined for another turn. */
type TurnResult = { readonly answer: string } | undefined;

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
  readonly #tools: LoopTools;
  readonly #transcript: Transcript;
  readonly #frame: LoopFrame | undefined;
  /** Form of tool calls: native, in the text form, or without tools. */
  #mode: AnswerForm;
  /** True while the conversation is only the summary of a longer one. */
  #shortened = false;
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
    this.#frame = begin.frame;
    this.#tools = new LoopTools(scope, work, begin.messages);
    this.#mode = this.#tools.form;
    this.#transcript = new Transcript(begin.messages ?? this.#firstMessages(scope));
  }

  get messages(): readonly Message[] {
    return this.#transcript.messages;
  }

  get #work(): AgentWork {
    return this.#tools.work;
  }

  get #box(): ToolBox {
    return this.#tools.box;
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
    const written = callsIn(text, this.#tools.knows);
    const isCall =
      written?.isQuoted === false && written.calls.some(({ name }) => this.#tools.knows(name));
    return isCall ? written : undefined;
  }

  readonly #isCall = (text: string): boolean => {
    if (this.#mode !== "text")
      return this.#mode === "native" && this.#writtenCalls(text) !== undefined;
    const own = cutAtObservation(text, this.#work.prompts.slices.observation);
    return parseReAct(own, this.#tools.knows).kind === "action";
  };

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
      if (this.#tools.request.builtinTools !== undefined && error.code === "model_rejected") {
        this.#tools.replaceBuiltins(place, this.messages, error);
        this.#mode = this.#tools.form;
        return undefined;
      }
      if (this.#mode === "native" && refusesTools(error)) {
        this.#mode = "text";
        this.#transcript.add({
          role: "user",
          content: toolInstructions(this.#work, this.#box, this.#mode),
        });
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
        ...this.#tools.request,
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
        : await this.#tools.runner.runAll(place, calls);
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
        content: worded(replies[index], this.#work),
      });
    }
    const pictured = replies.map(({ images }, index) => ({
      toolName: this.#box.nameFor(calls[index]?.name ?? ""),
      images,
    }));
    const content = imagesOf(pictured, this.#work);
    if (content !== undefined) this.#transcript.add({ role: "user", content });
    throwFailed(replies);
    await this.#tools.offerReader(this.messages);
    return answerAmong(replies);
  }

  async #textTurn(place: RunScope, response: ModelResponse): Promise<TurnResult> {
    const { observation } = this.#work.prompts.slices;
    const text = cutAtObservation(response.text, observation);
    const parsed = parseReAct(text, this.#tools.knows);
    switch (parsed.kind) {
      case "finish":
        return { answer: parsed.output };
      case "error": {
        if (parsed.reason === "missing_action" && !this.#work.agent.strictReact)
          return { answer: text.trim() };
        const format = fill(this.#work.prompts.slices.format, {
          tool_names: shownNames(this.#box),
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
            : await this.#tools.runner.runText(place, parsed);
        this.#transcript.add({ role: "assistant", content: text.trimEnd() });
        const said = observed(worded(reply, this.#work), this.#work.prompts);
        const images = imagesOf([{ toolName: parsed.tool, images: reply.images }], this.#work);
        const content = withAttachments(said, images);
        this.#transcript.add({ role: "user", content });
        throwFailed([reply]);
        await this.#tools.offerReader(this.messages);
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
    const { identity, prompts } = this.#work;
    const { head, user } = this.#frame ?? {
      head: fill(prompts.slices.rolePlaying, identity),
      user: taskText(this.#work, this.#mode),
    };
    const instructions = toolInstructions(this.#work, this.#box, this.#mode);
    return firstMessages(scope, this.#work, { head, instructions, user });
  }
}
