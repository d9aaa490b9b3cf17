// An agent's turn on a message: its reply chain, as one recorded step.
//
//   TRN1. Order: input guardrails, state hooks, hooks on the received text, hooks on the whole history, then the chain:
//         termination check with the person's input, tools, the model, with registered links before and between them.
//         The first final link counts, else the default reply.
//   TRN2. A turn's result has all its changes: the message, the reason for the end, the count of replies, the context
//         variables, usage, and the received text as changed by hooks.
//   TRN3. A model with an empty answer, also after a retry, counts as no answer: the next link is asked, and then the
//         default reply is used.
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { isEmptyAnswer } from "../../model-calls/empty-answer.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { emitChanges } from "../chats/chat-events.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import type { Talk } from "../chats/talk.ts";
import { applyChange, ContextVariables, type ContextChange } from "../context-variables.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { observedReply } from "../observers/observe-turn.ts";
import { recalledTarget, type RecordedTarget } from "../targets/recorded-target.ts";
import { Kept } from "./kept.ts";
import { modelInput } from "./model-input.ts";
import { ownReply } from "./own-reply.ts";
import type { Screening } from "../safeguards/screening.ts";
import { guardedReply, guardedTurn, withGuardrailTarget } from "../safeguards/turn-guardrails.ts";
import { personStep } from "./person-reply.ts";
import {
  checkResponse,
  triggers,
  type ReplyFunction,
  type ReplyLink,
  type ReplySteps,
  type StepsRequest,
} from "./reply-function.ts";
import { hasCalls, toolReply } from "./tool-reply.ts";
import { emitDecision } from "./turn-events.ts";
import { runTurnHooks } from "./turn-hooks.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { TurnResult } from "./turn-result.ts";

/** Runs an agent's turn, and applies its changes. */
export async function takeTurn(
  talk: Talk,
  place: ChatPlace,
  request: TurnRequest,
): Promise<TurnResult> {
  const { agent, sender } = request;
  const recorded = await place.nextTurn(agent).group<RecordedTurn>(
    "agent",
    async (turn) => {
      const done = await runTurn(talk, turn, request);
      emitChanges(turn, agent.name, done.changes);
      return done;
    },
    { label: agent.name },
  );
  const result = withTarget(agent, recorded);
  talk.apply(agent, sender, result);
  for (const [name, usage] of Object.entries(result.usage)) place.account(name, usage);
  return result;
}

/** Runs a turn below a place of the caller, which records the result and applies it. */
export function runTurn(talk: Talk, place: RunScope, request: TurnRequest): Promise<RecordedTurn> {
  return new Turn(talk, place, request).run();
}

/** Record of a turn; `withTarget` looks up its target again. */
export type RecordedTurn = Omit<TurnResult, "target"> & { readonly target?: RecordedTarget };

/** Adds the target to a recorded turn. Throws `journal_mismatch` for a target that the agent no longer has. */
export function withTarget(
  agent: TalkingMember,
  { target, ...recorded }: RecordedTurn,
): TurnResult {
  const found = target === undefined ? undefined : recalledTarget(target, agent.targets);
  return withGuardrailTarget(
    agent,
    found === undefined ? recorded : { ...recorded, target: found },
  );
}

type Said = Omit<RecordedTurn, "changes" | "kept" | "usage" | "receivedText">;

class Turn {
  readonly #talk: Talk;
  readonly #place: RunScope;
  readonly #request: TurnRequest;
  readonly #work: AgentWork;
  readonly #consumed: ChatPlace;
  readonly #changes: ContextChange[] = [];
  #ownVariables: ContextVariables | undefined;
  readonly #kept: Kept;
  #receivedText: string | undefined;
  /** The agent's messages; hooks may change them for this turn. */
  #messages: readonly ConversationMessage[];

  constructor(talk: Talk, place: RunScope, request: TurnRequest) {
    const { agent, sender } = request;
    this.#talk = talk;
    this.#place = place;
    this.#request = request;
    this.#consumed = new ChatPlace(place);
    const work = changedWork(talk.work(agent), { meter: new UsageMeter() });
    const { deadlineAtMs } = request;
    this.#work = deadlineAtMs === undefined ? work : { ...work, deadlineAtMs };
    this.#messages = talk.history(agent, sender);
    this.#kept = new Kept(talk.kept(agent, sender));
  }

  /** A copy with the turn's changes. */
  get #variables(): ContextVariables {
    return (this.#ownVariables ??= new ContextVariables(
      this.#talk.variables(this.#request.agent).toObject(),
      { onChange: (change) => void this.#changes.push(change) },
    ));
  }

  async run(): Promise<RecordedTurn> {
    const said = (await this.#guarded()) ?? this.#instead() ?? (await this.#reply());
    this.#consumed.account(this.#request.agent.name, this.#work.meter.total);
    const { added: kept } = this.#kept;
    const usage = this.#consumed.cost.byAgent;
    const receivedText = this.#receivedText;
    return {
      ...said,
      changes: this.#changes,
      ...(receivedText === undefined ? {} : { receivedText }),
      ...(kept === undefined ? {} : { kept }),
      usage,
    };
  }

  /** Returns an input guardrail's decision. */
  async #guarded(): Promise<Said | undefined> {
    const { agent, sender } = this.#request;
    if (agent.inputGuardrails.length === 0) return undefined;
    return guardedTurn(this.#place, this.#screening, {
      messages: this.#messages,
      lastOwn: this.#talk.lastOwn(agent, sender),
      counter: this.#talk.counter(agent, sender),
    });
  }

  #instead(): Said | undefined {
    const { agent, sender, instead } = this.#request;
    if (instead === undefined) return undefined;
    return { reply: instead, counter: this.#talk.counter(agent, sender) };
  }

  /** Returns the chain's reply, unless an output guardrail decides. */
  async #reply(): Promise<Said> {
    const { messages, receivedText } = await runTurnHooks(this.#place, {
      agent: this.#request.agent,
      messages: this.#messages,
      forSteps: () => this.#stepsRequest(),
    });
    this.#messages = messages;
    this.#receivedText = receivedText;
    const said = await this.#firstFinal();
    const { reply } = said;
    if (reply === undefined || this.#request.agent.outputGuardrails.length === 0) return said;
    return { ...said, ...(await guardedReply(this.#place, this.#screening, reply)) };
  }

  get #screening(): Screening {
    return { agent: this.#request.agent, work: this.#work };
  }

  async #firstFinal(): Promise<Said> {
    const { agent, sender } = this.#request;
    let outcome: Said = { counter: this.#talk.counter(agent, sender) };
    for (const [index, link] of agent.replyChain.entries()) {
      if (link.kind === "termination") {
        const { isFinal, ...said } = await this.#unlessEnded(outcome.counter);
        if (isFinal) return said;
        outcome = said;
        continue;
      }
      const answer = await this.#answerOf(link, `reply:${index}`);
      if (answer !== undefined) return { ...outcome, ...answer };
    }
    const { name, defaultAutoReply: content } = agent;
    return { ...outcome, reply: { role: "assistant", content, name } };
  }

  /** Checks for the end of the conversation, and for a person's input. */
  async #unlessEnded(counter: number): Promise<Said & { readonly isFinal: boolean }> {
    const { agent, sender } = this.#request;
    const message = this.#messages.at(-1);
    const decided = await personStep(this.#place, {
      ...this.#screening,
      sender,
      message,
      counter,
    });
    const { step, humanInput } = decided;
    emitDecision(this.#place, this.#request, { ...decided, counter });
    const outcome = {
      counter: step.counter,
      ...(humanInput === undefined ? undefined : { humanInput }),
    };
    if (step.kind === "continue") return { ...outcome, isFinal: false };
    if (step.kind === "stop") return { ...outcome, isFinal: true, ended: step.reason };
    const reply = readMessage(step.message, { name: agent.name, role: "user" });
    return { ...outcome, isFinal: true, reply };
  }

  /** Returns a link's reply; undefined if it leaves the answer to the next. */
  async #answerOf(
    link: Exclude<ReplyLink, { readonly kind: "termination" }>,
    key: string,
  ): Promise<Pick<Said, "reply" | "ended" | "target" | "report" | "transfer"> | undefined> {
    const { sender } = this.#request;
    const about = { messages: this.#messages };
    const message = this.#messages.at(-1);
    if (link.kind === "function")
      return triggers(link.trigger, sender, about) ? this.#called(link.reply, key) : undefined;
    if (link.kind === "steps")
      return triggers(link.trigger, sender, about)
        ? this.#unlessEmpty(() => this.#inSteps(link.reply, key))
        : undefined;
    if (link.kind === "model")
      return this.#hasModel() ? this.#unlessEmpty(() => this.#modelReply()) : undefined;
    return message !== undefined && hasCalls(message) ? this.#toolReply(message) : undefined;
  }

  /** Returns the models' answer; undefined, with a warning, if the last asked model gave an empty one (TRN3). */
  async #unlessEmpty<Answer>(answer: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await answer();
    } catch (error) {
      if (!isEmptyAnswer(error)) throw error;
      const { name } = this.#request.agent;
      const message = `"${name}" has no answer of its model: ${error.message}`;
      this.#place.emit("agent_warning", { agentRole: name, message });
      return undefined;
    }
  }

  /** Returns the reply made by steps; undefined if they leave the answer to the next. */
  async #inSteps(reply: ReplySteps, key: string): Promise<Pick<Said, "reply"> | undefined> {
    const answer = await reply(this.#place.at(key), this.#stepsRequest());
    if (answer === undefined) return undefined;
    for (const byAgent of answer.usage ?? [])
      for (const [name, each] of Object.entries(byAgent)) this.#consumed.account(name, each);
    return answer.reply === undefined ? {} : { reply: answer.reply };
  }

  /** True for its own model, or a scripted one in a test. */
  #hasModel(): boolean {
    const { name, hasModel } = this.#request.agent;
    return hasModel || this.#place.services.scriptedAgents?.modelOf([name]) !== undefined;
  }

  #stepsRequest(): StepsRequest {
    const { agent, sender } = this.#request;
    const contextVariables = this.#variables;
    return {
      agent,
      sender,
      messages: this.#messages,
      contextVariables,
      talk: this.#talk.within(agent, contextVariables),
      work: this.#work,
      kept: this.#kept,
    };
  }

  async #toolReply(message: ConversationMessage): Promise<Pick<Said, "reply" | "target">> {
    const { agent, sender } = this.#request;
    const talk = this.#talk;
    const { changes, target, ...said } = await toolReply(this.#work, this.#place, {
      message,
      agent,
      caller: sender.name,
      tools: talk.tools(agent.executedTools),
      variables: this.#variables.toObject(),
      chat: {
        get chatMessages() {
          return talk.histories(agent);
        },
        messages: this.#messages,
        lastMessage: message,
      },
      targets: agent.targets,
    });
    for (const change of changes) applyChange(this.#variables, change);
    return { reply: said.message, ...(target === undefined ? undefined : { target }) };
  }

  async #modelReply(): Promise<Pick<Said, "reply" | "ended" | "report" | "transfer">> {
    const { totalTokens: tokensBefore } = this.#place.usage;
    const { agent, sender, moreTools = [] } = this.#request;
    const { groupMember, chatMember } = this.#work.prompts.slices;
    const { systemMessage, messages } = await modelInput(this.#place, {
      agent,
      messages: this.#messages,
      contextVariables: () => this.#variables,
      kept: this.#kept,
      other: sender.name,
      // A crew agent's prompt has its role, which is its name.
      nameText: agent.isOfCrews ? undefined : this.#talk.isGroup(sender) ? groupMember : chatMember,
    });
    const transcript = this.#talk.view(agent, sender).of(systemMessage, messages);
    const { reply, ...rest } = await ownReply(this.#work, this.#place, {
      agent,
      transcript,
      tools: withMore(this.#talk.offeredTools(agent), moreTools),
      ownTools: this.#toolsOfTurn(),
      transfers: moreTools,
      sources: this.#talk.sources,
    });
    const about = { messages: this.#messages, reply, tokensBefore };
    const observed = observedReply(this.#place, agent, about);
    return "ended" in observed ? observed : { ...observed, ...rest };
  }

  #toolsOfTurn(): readonly Tool[] {
    const making = this.#request.agent.hooksOf("tools_of_turn");
    return making.length === 0 ? [] : making.flatMap((make) => make(this.#stepsRequest()));
  }

  /** Returns the reply of a user function; undefined if it leaves the answer to the next. */
  async #called(reply: ReplyFunction, key: string): Promise<Pick<Said, "reply"> | undefined> {
    const { agent, sender } = this.#request;
    const messages = this.#messages;
    const recorded = await this.#place.at(key).callOnce(async () => {
      const changes: ContextChange[] = [];
      const contextVariables = new ContextVariables(this.#variables.toObject(), {
        onChange: (change) => void changes.push(change),
      });
      const answer = await reply({ agent, sender, messages, contextVariables });
      checkResponse(answer, agent.name);
      const final = answer?.final === true;
      const said = final ? ((answer.reply ?? null) as JsonValue) : null;
      return { final, said, changes };
    });
    for (const change of recorded.changes) applyChange(this.#variables, change);
    if (!recorded.final) return undefined;
    const author = { name: agent.name, role: "assistant" } as const;
    return recorded.said === null ? {} : { reply: readMessage(recorded.said, author) };
  }
}

/** The last extended lists, by the original list of tools. */
const longer = new WeakMap<readonly Tool[], readonly Tool[]>();

/** Equal tools yield the same list object, so a model's description of them is made once for all turns. */
function withMore(tools: readonly Tool[], more: readonly Tool[]): readonly Tool[] {
  if (more.length === 0) return tools;
  const known = longer.get(tools);
  const count = tools.length;
  if (known?.length === count + more.length && more.every((each, at) => known[count + at] === each))
    return known;
  const made = [...tools, ...more];
  longer.set(tools, made);
  return made;
}
