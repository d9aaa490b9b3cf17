// What an agent says to a message: its reply chain, as one recorded step.
//
//   TRN1. State hooks, hooks on the received text, hooks on the whole history, then the chain: whether it ends and what a person
//         says, tools, the model, with what was registered before and between them. The first final link counts, else the default.
//   TRN2. A turn's result is all that it changes: what is said, why it ends, the count of replies, the context variables, usage.
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { UsageMeter } from "../../model-calls/model-call.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import type { Talk } from "../chats/talk.ts";
import { applyChange, ContextVariables, type ContextChange } from "../context-variables.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { observedReply } from "../observers/observe-turn.ts";
import { modelReply } from "./model-reply.ts";
import { recalledTarget, type RecordedTarget } from "../recorded-target.ts";
import type { TransitionTarget } from "../targets.ts";
import { ModelView } from "./model-view.ts";
import { personStep } from "./person-reply.ts";
import { triggers, type ReplyFunction, type ReplyLink, type TalkOver } from "./reply-function.ts";
import { hasCalls, toolReply } from "./tool-reply.ts";

/** What a turn of an agent comes to. */
export type TurnResult = {
  /** What it says; absent when it says nothing, which ends the chat. */
  readonly reply?: ConversationMessage;
  /** Why it says nothing. */
  readonly ended?: string;
  /** Replies in a row without a person's word, with this one. */
  readonly counter: number;
  /** What a person said in its place. */
  readonly humanInput?: string;
  /** What its reply functions and tools did to the context variables, oldest first. */
  readonly changes: readonly ContextChange[];
  /** Where the last of its tools that hands over leads. */
  readonly target?: TransitionTarget;
  /** By agent: its own, and that of chats that it had before it answered. */
  readonly usage: Readonly<Record<string, Usage>>;
};

/** Whom an agent answers. */
export type TurnRequest = {
  readonly agent: ConversableAgent;
  readonly sender: ConversableAgent;
  /** Tools that its model may call beside its own, in this turn. */
  readonly moreTools?: readonly Tool[];
  /** When its models have to be done. Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
};

/** Has an agent answer, and applies what the turn changed. */
export async function takeTurn(
  talk: Talk,
  place: ChatPlace,
  request: TurnRequest,
): Promise<TurnResult> {
  const { agent, sender } = request;
  const { target, ...recorded } = await place
    .nextTurn(agent)
    .group<RecordedTurn>("agent", (turn) => runTurn(talk, turn, request), { label: agent.name });
  const result: TurnResult =
    target === undefined
      ? recorded
      : { ...recorded, target: recalledTarget(target, agent.targets) };
  talk.apply(agent, sender, result);
  for (const [name, usage] of Object.entries(result.usage)) place.account(name, usage);
  return result;
}

/** The same below a place of the caller's, who records the result and applies it. */
export function runTurn(talk: Talk, place: RunScope, request: TurnRequest): Promise<RecordedTurn> {
  return new Turn(talk, place, request).run();
}

/** What is recorded of a turn: `recalledTarget` finds its target again. */
export type RecordedTurn = Omit<TurnResult, "target"> & { readonly target?: RecordedTarget };

type Said = Omit<RecordedTurn, "changes" | "usage">;

class Turn {
  readonly #talk: Talk;
  readonly #place: RunScope;
  readonly #request: TurnRequest;
  readonly #work: AgentWork;
  readonly #consumed: ChatPlace;
  readonly #changes: ContextChange[] = [];
  readonly #variables: ContextVariables;
  /** What the agent sees; hooks may change it for this turn. */
  #messages: readonly ConversationMessage[];
  #isChanged = false;

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
    this.#variables = new ContextVariables(talk.variables(agent).toObject(), {
      onChange: (change) => void this.#changes.push(change),
    });
  }

  async run(): Promise<RecordedTurn> {
    await this.#runHooks();
    const said = await this.#firstFinal();
    this.#consumed.account(this.#request.agent.name, this.#work.meter.total);
    return { ...said, changes: this.#changes, usage: this.#consumed.cost.byAgent };
  }

  async #firstFinal(): Promise<Said> {
    const { agent, sender } = this.#request;
    let outcome: Said = { counter: this.#talk.counter(agent, sender) };
    for (const [index, link] of agent.replyChain.entries()) {
      if (link.kind === "termination") {
        // oxlint-disable-next-line no-await-in-loop -- the first final one counts
        const { isFinal, ...said } = await this.#unlessEnded(outcome.counter);
        if (isFinal) return said;
        outcome = said;
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop -- the first final one counts
      const answer = await this.#answerOf(link, `reply:${index}`);
      if (answer !== undefined) return { ...outcome, ...answer };
    }
    const { name, defaultAutoReply: content } = agent;
    return { ...outcome, reply: { role: "assistant", content, name } };
  }

  /** Whether the conversation ends here, or its person says something. */
  async #unlessEnded(counter: number): Promise<Said & { readonly isFinal: boolean }> {
    const { agent, sender } = this.#request;
    const message = this.#messages.at(-1);
    const { step, humanInput } = await personStep(this.#place, { agent, sender, message, counter });
    const outcome = {
      counter: step.counter,
      ...(humanInput === undefined ? undefined : { humanInput }),
    };
    if (step.kind === "continue") return { ...outcome, isFinal: false };
    if (step.kind === "stop") return { ...outcome, isFinal: true, ended: step.reason };
    const reply = readMessage(step.message, { name: agent.name, role: "user" });
    return { ...outcome, isFinal: true, reply };
  }

  /** What a link says; undefined when it leaves the answer to the next. */
  async #answerOf(
    link: Exclude<ReplyLink, { readonly kind: "termination" }>,
    key: string,
  ): Promise<Pick<Said, "reply" | "ended" | "target"> | undefined> {
    const { agent, sender } = this.#request;
    const message = this.#messages.at(-1);
    if (link.kind === "function")
      return triggers(link.trigger, sender) ? this.#called(link.reply, key) : undefined;
    if (link.kind === "nested")
      return triggers(link.trigger, sender) ? this.#talkedOver(link.talkOver, key) : undefined;
    if (link.kind === "model") return agent.llm === false ? undefined : this.#modelReply();
    return message !== undefined && hasCalls(message) ? this.#toolReply(message) : undefined;
  }

  /** What it says after chats with others. */
  async #talkedOver(talkOver: TalkOver, key: string): Promise<Pick<Said, "reply">> {
    const { agent, sender } = this.#request;
    const talk = this.#talk.within(agent, this.#variables);
    const about = { agent, sender, messages: this.#messages };
    const { reply, usage } = await talkOver(talk, this.#place.at(key), about);
    for (const byAgent of usage)
      for (const [name, each] of Object.entries(byAgent)) this.#consumed.account(name, each);
    return reply === undefined ? {} : { reply };
  }

  async #toolReply(message: ConversationMessage): Promise<Pick<Said, "reply" | "target">> {
    const { agent } = this.#request;
    const talk = this.#talk;
    const { changes, target, ...said } = await toolReply(this.#work, this.#place, {
      message,
      tools: talk.tools(agent.executedTools),
      variables: this.#variables.toObject(),
      chat: {
        get chatMessages() {
          return talk.histories(agent);
        },
        lastMessage: message,
      },
      targets: agent.targets,
    });
    for (const change of changes) applyChange(this.#variables, change);
    return { reply: said.message, ...(target === undefined ? undefined : { target }) };
  }

  async #modelReply(): Promise<Pick<Said, "reply" | "ended">> {
    const { totalTokens: tokensBefore } = this.#place.usage;
    const { agent, sender, moreTools = [] } = this.#request;
    const view = this.#isChanged ? new ModelView() : this.#talk.view(agent, sender);
    const transcript = view.of(agent.systemMessage, this.#messages);
    const reply = await modelReply(this.#work, this.#place, {
      transcript,
      tools: [...this.#talk.tools(agent.offeredTools), ...moreTools],
    });
    const messages = this.#messages;
    return observedReply(this.#place, agent, { messages, reply, tokensBefore });
  }

  /** What a function of the agent's own says; undefined when it leaves the answer to the next. */
  async #called(reply: ReplyFunction, key: string): Promise<Pick<Said, "reply"> | undefined> {
    const { agent, sender } = this.#request;
    const messages = this.#messages;
    const recorded = await this.#place.at(key).callOnce(async () => {
      const changes: ContextChange[] = [];
      const contextVariables = new ContextVariables(this.#variables.toObject(), {
        onChange: (change) => void changes.push(change),
      });
      const answer = await reply({ agent, sender, messages, contextVariables });
      const final = answer?.final === true;
      const said = final ? ((answer.reply ?? null) as JsonValue) : null;
      return { final, said, changes };
    });
    for (const change of recorded.changes) applyChange(this.#variables, change);
    if (!recorded.final) return undefined;
    const author = { name: agent.name, role: "assistant" } as const;
    return recorded.said === null ? {} : { reply: readMessage(recorded.said, author) };
  }

  async #runHooks(): Promise<void> {
    const { agent } = this.#request;
    for (const [index, hook] of agent.hooksOf("update_agent_state").entries())
      // oxlint-disable-next-line no-await-in-loop -- in their order
      await this.#place.at(`state:${index}`).callOnce(async () => {
        await hook(this.#messages);
        return null;
      });
    await this.#runTextHooks();
    for (const [index, hook] of agent.hooksOf("process_all_messages_before_reply").entries()) {
      const messages = this.#messages;
      // oxlint-disable-next-line no-await-in-loop -- in their order
      const changed = await this.#place
        .at(`history:${index}`)
        .callOnce(async () => [...(await hook(messages))]);
      this.#change(changed);
    }
  }

  async #runTextHooks(): Promise<void> {
    const hooks = this.#request.agent.hooksOf("process_last_received_message");
    const last = this.#messages.at(-1);
    if (hooks.length === 0 || last === undefined || !isPlain(last)) return;
    let content = last.content as string;
    for (const [index, hook] of hooks.entries())
      // oxlint-disable-next-line no-await-in-loop -- in their order
      content = await this.#place.at(`received:${index}`).callOnce(async () => hook(content));
    if (content !== last.content)
      this.#change([...this.#messages.slice(0, -1), { ...last, content }]);
  }

  #change(messages: readonly ConversationMessage[]): void {
    this.#messages = messages;
    this.#isChanged = true;
  }
}

/** Whether hooks on the received text apply: to words, and not to calls or the word that ends. */
function isPlain(message: ConversationMessage): boolean {
  const { content, context } = message;
  return (
    typeof content === "string" &&
    content !== "" &&
    content !== "exit" &&
    context === undefined &&
    !hasCalls(message)
  );
}
