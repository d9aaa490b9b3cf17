// Limits of histories, which AG2 puts between the conversation and its own rules.
import type { ConversationRow } from "./accepted.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import type { CaseAgent } from "./conversation-case.ts";
import { agentOf, chatsOf } from "./difference-rules.ts";
import { withoutMarks, type NormalMessage } from "./normal-forms.ts";
import type { MessageOutcome } from "./outcome.ts";

const page = "coming-from-ag2.md#what-behaves-differently";

export const LIMITS: readonly ConversationRow[] = [
  {
    id: "end-behind-a-limit",
    upstream:
      "A `MessageHistoryLimiter` hides or moves the latest message: the chat continues after its end, calls are not executed, or older ones are.",
    ours: "The limit applies to the model's view: the chat ends, and its calls are executed once.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = 0, program } = difference;
      if (field === "modelCalls") return asksBehindClearing(difference);
      const their = theirs as NormalMessage | null;
      const { ours: chat } = chatsOf(difference);
      const last = chat?.history[at - 1]?.name;
      const named = agentOf(program, chat?.history[at]?.name ?? their?.who);
      // In a chat of two a message with calls has no name.
      const other = program.profile === "chat" && last !== undefined;
      const author =
        named ?? (other ? program.agents.find(({ name }) => name !== last) : undefined);
      const { history, human = [] } = author ?? {};
      const before = chat?.history.slice(0, at) ?? [];
      if (history === undefined || !hidesLatest(history, before)) return false;
      if (field === "results") {
        const { results } = ours as NormalMessage;
        // Ours carries out the calls of the latest message; theirs those of an older one.
        const callers = results.length > 0 ? before.slice(-1) : before.slice(0, -1);
        return callers.some(({ calls = [] }) => calls.length > 0);
      }
      if (field === "who" || field === "calls") {
        const our = ours as NormalMessage | null;
        const isLacking = (their?.results ?? []).some((result) =>
          /^Error: Function \S+ not found/.test(result),
        );
        const isLeft = (our?.results ?? []).length > 0 && (before.at(-1)?.calls ?? []).length > 0;
        return isLacking || isLeft;
      }
      // The person is asked where the message ends the chat.
      if (field === "content") return human.includes(withoutMarks(ours));
      // An older message ends theirs.
      if (field === "length" && theirs === null)
        return before.slice(0, -1).some(({ content }) => /TERMINATE/.test(content));
      return (
        field === "length" &&
        ours === null &&
        chat?.history[at - 1]?.name !== their?.who &&
        chat?.reason === "termination condition met"
      );
    },
  },
  {
    id: "order-of-limited-messages",
    upstream: "`MessageHistoryLimiter` puts messages out of order.",
    ours: "They stay in order, and a result never loses its call.",
    verdict: "upstream's defect",
    page,
    matches: ({ field, ours, theirs, program, agent }) => {
      if (field !== "seen" || agentOf(program, agent)?.history === undefined) return false;
      const sorted = (texts: unknown): string =>
        JSON.stringify((texts as readonly unknown[]).map(String).toSorted());
      return sorted(ours) === sorted(theirs);
    },
  },
  {
    id: "limit-counts-handoffs",
    upstream:
      "`MessageHistoryLimiter`, and hooks on all messages, count the calls of hand-overs that are omitted afterwards.",
    ours: "They count the messages of the model's view.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent }) => {
      if (field !== "seen") return false;
      const [our, their] = [ours, theirs].map((texts) => (texts as readonly unknown[]).map(String));
      const { history, hooks = [] } = agentOf(program, agent) ?? {};
      // The hook keeps the last two.
      const kept = hooks.includes("process_all_messages_before_reply") ? 2 : undefined;
      return (
        program.pattern !== undefined &&
        !program.pattern.keepTransit &&
        (history !== undefined || kept !== undefined) &&
        program.agents.some(({ handoffs }) => handoffs?.llm !== undefined) &&
        our?.length === Math.min(history?.max ?? Infinity, kept ?? Infinity) &&
        (their ?? []).every((text) => text === "0,<handed>" || our?.includes(text))
      );
    },
  },
];

/** True for a limit of AG2 behind which the last message is another one: the first, the one before, or the one before a result. */
function hidesLatest(
  { max, keepFirst }: NonNullable<CaseAgent["history"]>,
  messages: readonly MessageOutcome[],
  count = messages.length,
): boolean {
  if (count <= max) return false;
  if (!keepFirst) return max === 2;
  return max === 1 || (max === 2 && (messages.at(-1)?.results ?? []).length > 0);
}

/** A cleared history has lost the message that one side alone has seen: a person was asked in place of the model. */
function asksBehindClearing(difference: ConversationDifference): boolean {
  const { ours, theirs, program } = difference;
  const [our, their] = [ours, theirs] as readonly Readonly<Record<string, number>>[];
  const names = Object.keys({ ...our, ...their }).filter((name) => our?.[name] !== their?.[name]);
  const { human: said = [] } = chatsOf(difference).ours ?? {};
  return (
    program.group?.clear === true &&
    names.every((name) => {
      const { history, human = [] } = agentOf(program, name) ?? {};
      const isHiding = history !== undefined && hidesLatest(history, [], Infinity);
      return isHiding && human.some((words) => said.includes(words));
    })
  );
}
