// Turns that the two sides take differently.
import { isDeepStrictEqual } from "node:util";
import type { ConversationRow } from "./accepted.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import { agentOf, calledTools, chatsOf, planOf, textOf } from "./difference-rules.ts";
import type { MessageOutcome, Outcome } from "./outcome.ts";
import { normalName, withoutMarks, type NormalMessage } from "./normal-forms.ts";

const page = "coming-from-ag2.md#what-behaves-differently";

/** Reasons of an end that the recipient of a message brings about. */
const RECIPIENT_ENDS =
  /^(?:no reply generated|termination condition met|the person ended the chat|maximum number of consecutive auto-replies reached)$/;

export const TURNS: readonly ConversationRow[] = [
  {
    id: "turns-after-the-end",
    upstream:
      "With `max_turns`, a chat continues when its recipient has ended it or has no reply: the initiator answers itself.",
    ours: "The chat ends.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = 0, program } = difference;
      const { ours: our, theirs: their } = chatsOf(difference);
      const initiator = planOf(difference)?.sender ?? program.agents[0]?.name;
      const goesOn =
        ["chat", "queue", "nested"].includes(program.profile) &&
        planOf(difference)?.maxTurns !== undefined &&
        our?.history.at(-1)?.name === initiator &&
        their?.history[our?.history.length ?? 0]?.name === initiator &&
        RECIPIENT_ENDS.test(our?.reason ?? "");
      // A person who speaks for the initiator is asked, and may end it.
      if (field === "human")
        return (
          planOf(difference)?.maxTurns !== undefined &&
          RECIPIENT_ENDS.test(our?.reason ?? "") &&
          isDeepStrictEqual([...(ours as readonly string[]), "exit"], theirs)
        );
      if (field === "length") return goesOn && ours === null && at === our?.history.length;
      // Its hook hears the last message before it answers itself.
      const hears = agentOf(program, initiator)?.hooks?.includes("process_last_received_message");
      return goesOn && field === "content" && hears === true && theirs === `${String(ours)} ~heard`;
    },
  },
  {
    id: "turns-of-an-outside-group",
    upstream:
      "With `max_turns`, an outside initiator speaks to its group again, also after the manager ended it: the initiator does not see its end.",
    ours: "The chat ends with the message that ended the group.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, program } = difference;
      return (
        field === "length" &&
        ours === null &&
        program.profile === "group" &&
        program.group?.term === true &&
        (program.chat?.maxTurns ?? 1) > 1 &&
        !program.members?.includes(program.initiator ?? "") &&
        (theirs as NormalMessage).who === program.initiator &&
        chatsOf(difference).ours?.reason === "termination condition met"
      );
    },
  },
  {
    id: "end-behind-a-limit",
    upstream:
      "A `MessageHistoryLimiter` hides or moves the latest message: the chat continues after its end, calls are not executed, or older ones are.",
    ours: "The limit applies to the model's view: the chat ends, and its calls are executed once.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = 0, program } = difference;
      const their = theirs as NormalMessage | null;
      const { ours: our } = chatsOf(difference);
      const last = our?.history[at - 1]?.name;
      const named = agentOf(program, our?.history[at]?.name ?? their?.who);
      // In a chat of two a message with calls has no name.
      const other = program.profile === "chat" && last !== undefined;
      const author =
        named ?? (other ? program.agents.find(({ name }) => name !== last) : undefined);
      const { history, human = [] } = author ?? {};
      if (history === undefined) return false;
      if (field === "results") return true;
      if (field === "who" || field === "calls")
        return (their?.results ?? []).some((result) =>
          /^Error: Function \S+ not found/.test(result),
        );
      // The person is asked where the message ends the chat.
      if (field === "content") return human.includes(withoutMarks(ours));
      return (
        field === "length" &&
        ours === null &&
        our?.history[at - 1]?.name !== their?.who &&
        our?.reason === "termination condition met"
      );
    },
  },
  {
    id: "silent-member",
    upstream: "A member without a reply ends the group.",
    ours: "The member is skipped until the next message (`compat`: the group ends).",
    verdict: "decision",
    page,
    matches: (difference) => {
      const { field, theirs, program, at = 0 } = difference;
      const last = chatsOf(difference).theirs?.history[at - 1];
      // The initiator speaks to its group again.
      const isNextTurn =
        field === "who" &&
        program.profile === "group" &&
        (program.chat?.maxTurns ?? 1) > 1 &&
        (theirs as NormalMessage).who === program.initiator;
      return (
        (isNextTurn || (field === "length" && theirs === null)) &&
        (program.profile === "pattern" || (program.group !== undefined && !program.group.compat)) &&
        program.agents.some(({ replies = [] }) =>
          replies.some(({ answer, when }) => answer === "nothing" && textOf(last).includes(when)),
        )
      );
    },
  },
  {
    id: "no-followers",
    upstream: "A member with an empty list of followers may be followed by anybody.",
    ours: "The chat ends (`compat`: anybody may follow).",
    verdict: "decision",
    page,
    matches: (difference) => {
      const { field, ours, program, at = 0 } = difference;
      const { ours: our } = chatsOf(difference);
      const { group } = program;
      if (group?.compat === true) return false;
      const isAlone = (message: MessageOutcome | undefined): boolean =>
        followersOf(program, message?.name ?? "")?.length === 0;
      // The initiator speaks to its group again, also where somebody else would have gone on.
      if (field === "who" && (program.chat?.maxTurns ?? 1) > 1)
        return our?.history.slice(0, at).some(isAlone) === true;
      // Who goes on may clear the history first.
      const isCleared = field === "who" && group?.clear === true;
      // A model chose somebody, who said nothing.
      const isChosen =
        field === "modelCalls" &&
        selections(difference.theirOutcome) > selections(difference.ourOutcome);
      return (
        (isCleared || isChosen || (field === "length" && ours === null)) &&
        our?.reason === "no next speaker selected" &&
        isAlone(our.history.at(-1))
      );
    },
  },
  {
    id: "summary-of-an-outside-group",
    upstream:
      "The summary `last_msg` of a group is the last message between its manager and the initiator, which may miss all others.",
    ours: "It is the last message of the group.",
    verdict: "ours is better",
    page,
    matches: (difference) => {
      const { field, program, theirs } = difference;
      if (field !== "summary") return false;
      const { text } = theirs as { readonly text?: string };
      const { theirs: their } = chatsOf(difference);
      return (
        program.profile === "group" &&
        program.chat?.summary !== "reflection_with_llm" &&
        text !== undefined &&
        ((program.group?.introductions === true && text.startsWith("Hello everyone")) ||
          ((program.initiator === "eva" || program.chat?.maxTurns !== undefined) &&
            // A cleared history has lost it.
            [program.chat?.message, ...(their?.history ?? []).map(({ content }) => content)].some(
              (content) => typeof content === "string" && content.replace("TERMINATE", "") === text,
            )))
      );
    },
  },
  {
    id: "stay-with-the-executor",
    upstream:
      "A call with the target `stay` stays with the tool executor of the group, which sends an empty text and ends it.",
    ours: "It stays with the calling agent.",
    verdict: "upstream's defect",
    page,
    matches: ({ field, theirs, program, at = 0, theirOutcome }) => {
      const their = theirs as NormalMessage | null;
      const executed = theirOutcome.chats[0]?.history[at - 1];
      return (
        program.profile === "pattern" &&
        (field === "who" || field === "length") &&
        their?.who === "_tools" &&
        their.content === "" &&
        (executed?.results ?? []).some((result) => /^(?:going to stay|Stay)/.test(result))
      );
    },
  },
  {
    id: "empty-answer",
    upstream: "With an empty answer of its model, an agent sends an empty text.",
    ours: "The model is called again; after empty answers alone, the next link of the reply chain or the default reply answers.",
    verdict: "ours is better",
    page: "models.md",
    matches: (difference) => {
      const { field, ours, theirs, program } = difference;
      return (
        ((field === "content" || field === "summary" || field === "seen") &&
          withoutDefaults(ours, program) === withoutDefaults(theirs, program)) ||
        (field !== "status" && isAfterDefault(difference))
      );
    },
  },
  {
    id: "empty-words",
    upstream: "A model sees its own empty answers as messages without text.",
    ours: "They are omitted: some APIs refuse them.",
    verdict: "ours is better",
    page: "models.md",
    matches: ({ field, ours, theirs }) => {
      if (field !== "seen") return false;
      const withWords = (texts: unknown): readonly string[] =>
        (texts as readonly unknown[]).map(String).filter((text) => text !== "0,");
      const [our, their] = [ours, theirs].map(withWords);
      return (
        (ours as readonly unknown[]).length < (theirs as readonly unknown[]).length &&
        isDeepStrictEqual(our, their)
      );
    },
  },
  {
    id: "variables-without-result",
    upstream:
      "A tool's changes of context variables are lost unless it returns them in a `ReplyResult`.",
    ours: "They stay.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program }) => {
      const counted = (value: unknown): string =>
        JSON.stringify(value).replaceAll(/("count":|count is )\d+/g, "$1");
      return (
        (field === "variables" || field === "result" || field === "seen") &&
        calledTools(program).includes("poke") &&
        counted(ours) === counted(theirs)
      );
    },
  },
  {
    id: "empty-carryover",
    upstream:
      "The message of a first nested chat with an empty carryover ends with an empty context, also without text of its own; messages without text are empty lines of a carryover.",
    ours: "It has no context and no such lines; a nested chat without a message is omitted.",
    verdict: "decision",
    page,
    matches: ({ program, ourOutcome, theirOutcome, field, ours, theirs }) => {
      const [first] = program.agents.flatMap(({ nested }) => nested?.queue.slice(0, 1) ?? []);
      if (first?.carryoverMethod !== "all" || field === "status") return false;
      const isShown = Object.values(theirOutcome.seen).some((views) =>
        views.some((view) => view.some(([, , text]) => /Context:\n(?:$|\nContext:)/.test(text))),
      );
      const { recipient = "", message = "" } = first;
      const asked = ({ calls }: Outcome): number => calls[recipient] ?? 0;
      const isLeftOut = message === "" && asked(ourOutcome) < asked(theirOutcome);
      const words = (value: unknown): string =>
        JSON.stringify(value)
          .replaceAll(/(?:\\n)+/g, "\\n")
          .replaceAll(/\\nContext:\\n(?=")|\\n(?=")/g, "")
          .replaceAll(/\\nContext:\\n(?=Context:)/g, "\\n");
      return isShown && (isLeftOut || (field === "seen" && words(ours) === words(theirs)));
    },
  },
  {
    id: "old-matches",
    upstream: "An input guardrail fires again for an answered text.",
    ours: 'It checks new messages, unless it has `messages: "all"`.',
    verdict: "upstream's defect",
    page: "conversation-safeguards.md",
    matches: (difference) => {
      const { field, program, at = -1 } = difference;
      const history = chatsOf(difference).theirs?.history ?? [];
      const { name, content = "" } = history[at] ?? {};
      return (
        (field === "content" || field === "who" || field === "calls" || field === "length") &&
        (agentOf(program, name)?.guardrails ?? []).some(
          ({ side, says }) => side === "input" && content.startsWith(`${says}\n`),
        ) &&
        history.slice(0, at).some((each) => each.name === name)
      );
    },
  },
  {
    id: "executor-who-may-not-follow",
    upstream:
      "When the executing member may not follow the caller, or may not speak twice, the call ends the group, or goes to a member without the tool.",
    ours: "The call is executed.",
    verdict: "ours is better",
    page,
    matches: (difference) => {
      const { field, ours, theirs, program, at = 0 } = difference;
      const last = chatsOf(difference).theirs?.history[at - 1];
      const their = theirs as NormalMessage | null;
      const isLacking =
        field === "who" &&
        their !== null &&
        their.results.length > 0 &&
        their.results.every((result) => /^Error: Function \S+ not found/.test(result));
      return (
        ((field === "length" && their === null) || isLacking) &&
        (ours as NormalMessage).results.length > 0 &&
        program.profile === "group" &&
        (program.group?.transitions !== undefined || program.group?.repeat !== undefined) &&
        (last?.calls ?? []).length > 0
      );
    },
  },
  {
    id: "last-speaker",
    upstream:
      "The last speaker after a call, or after a nested chat, is a helper of the group: its tool executor, or a wrapper.",
    ours: "It is the calling agent, or the agent of the nested chat.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs, theirOutcome }) => {
      const history = theirOutcome.chats[0]?.history ?? [];
      if (field === "lastSpeaker" && theirs === `wrapped_nested_${String(ours)}`)
        return normalName(history.at(-1)?.name ?? undefined) === theirs;
      const called = history.findLast(({ calls = [] }) => calls.length > 0);
      return (
        field === "lastSpeaker" &&
        theirs === "_tools" &&
        (history.at(-1)?.results ?? []).length > 0 &&
        called?.name === ours
      );
    },
  },
  {
    id: "last-speaker-of-nobody",
    upstream: "The last speaker of a group without answers is an agent `_User`.",
    ours: "It is `null`.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs, ourOutcome }) =>
      field === "lastSpeaker" &&
      theirs === "_User" &&
      ours === "" &&
      ourOutcome.chats[0]?.history.length === 1,
  },
  {
    id: "manual-helpers",
    upstream:
      "A person's list in a `ManualPattern` includes helpers of the group: a user, the tool executor, wrappers of nested chats.",
    ours: "It has the members alone.",
    verdict: "upstream's defect",
    page,
    matches: ({ field, theirs, program }) =>
      program.pattern?.kind === "manual" &&
      (field === "who" || field === "length") &&
      /^(?:_user$|_tools$|wrapped_nested_)/.test((theirs as NormalMessage | null)?.who ?? ""),
  },
  {
    id: "manual-without-choice",
    upstream: "In a `ManualPattern`, a person without a choice leaves it to the manager's model.",
    ours: "The next member in order speaks.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs, program, ourOutcome, theirOutcome }) => {
      const asked = (calls: unknown): number =>
        (calls as Readonly<Record<string, number>>)["_select"] ?? 0;
      return (
        program.pattern?.kind === "manual" &&
        (field === "modelCalls"
          ? asked(theirs) > 0 && asked(ours) === 0
          : (field === "who" || field === "length") &&
            asked(theirOutcome.calls) > 0 &&
            asked(ourOutcome.calls) === 0)
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
  {
    id: "hooks-of-a-wrapper",
    upstream:
      "In a nested chat by a hand-over, a helper of the group speaks in place of the agent, without its hooks.",
    ours: "The agent speaks, and its hooks are called.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent = "", at = 0, theirOutcome }) => {
      const view = theirOutcome.seen[agent]?.[at] ?? [];
      const words = (value: unknown): string =>
        JSON.stringify(value).replaceAll(/(?: ~heard| ~sent)+(?=")/g, "");
      return (
        field === "seen" &&
        program.profile === "pattern" &&
        view.some(([, author]) => author?.startsWith("wrapped_nested_")) &&
        words(ours) === words(theirs)
      );
    },
  },
  {
    id: "result-without-call",
    upstream: "A model sees a result without its call, which a hook has cut off.",
    ours: "A result without its call, which APIs would refuse, is omitted.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent = "", at = 0, theirOutcome }) => {
      if (field !== "seen") return false;
      const { hooks = [] } = agentOf(program, agent) ?? {};
      const roles = (theirOutcome.seen[agent]?.[at] ?? []).map(([role]) => role);
      const first = roles.findIndex((role) => role !== "tool");
      const left = (theirs as readonly unknown[]).slice(first);
      return (
        hooks.includes("process_all_messages_before_reply") &&
        first > 0 &&
        JSON.stringify(ours) === JSON.stringify(left)
      );
    },
  },
  {
    id: "unanswered-calls",
    upstream: "A model sees unexecuted calls without a result.",
    ours: "Each call has a result, with the note that the conversation continued.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs }) => {
      if (field !== "seen") return false;
      const shown = (ours as readonly (readonly [number, string])[]).filter(
        ([, text]) => !text.startsWith("This call has no result:"),
      );
      return (
        shown.length < (ours as readonly unknown[]).length &&
        JSON.stringify(shown) === JSON.stringify(theirs)
      );
    },
  },
];

/** Calls of the model that selects speakers. */
function selections({ calls }: Outcome): number {
  return calls["_select"] ?? 0;
}

/** Members who may speak behind one; undefined for a group without transitions. */
function followersOf(
  { group, members = [] }: ConversationCase,
  speaker: string,
): readonly string[] | undefined {
  const named = group?.transitions?.[speaker];
  if (named === undefined || group?.transitionsType === "allowed") return named;
  return members.filter((name) => !named.includes(name));
}

/** True behind a message of the same chat in which ours has a default reply and theirs nothing. */
function isAfterDefault(difference: ConversationDifference): boolean {
  const { program, ourOutcome, theirOutcome, chat, at = Infinity } = difference;
  return ourOutcome.chats.some(
    ({ history }, index) =>
      (chat ?? index) === index &&
      history.some((message, place) => {
        const { auto, name = "" } = agentOf(program, message.name) ?? {};
        const isEmpty = program.script[name]?.some(({ text }) => text === "") === true;
        const their = theirOutcome.chats[index]?.history[place];
        const isBefore = chat === undefined || place < at;
        return (
          isBefore &&
          isEmpty &&
          auto !== undefined &&
          message.content === auto &&
          their?.content === ""
        );
      }),
  );
}

/** The value as JSON, without default replies of agents whose model gives nothing at some time. */
function withoutDefaults(value: unknown, { agents, script }: ConversationCase): string {
  const defaults = agents
    .filter(({ name }) => (script[name] ?? []).some(({ text }) => text === ""))
    .flatMap(({ auto }) => auto ?? []);
  return defaults.reduce(
    (text, auto) => text.replaceAll(new RegExp(`${auto}(?: ~sent)?(?: ~heard)?`, "g"), ""),
    JSON.stringify(value),
  );
}
