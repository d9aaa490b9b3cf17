// Turns that the two sides take differently.
import type { ConversationRow } from "./accepted.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import { agentOf, calledTools, chatsOf, planOf, textOf } from "./difference-rules.ts";
import { normalName, type NormalMessage } from "./normal-forms.ts";

const page = "coming-from-ag2.md#what-behaves-differently";

/** Reasons of an end that the recipient of a message brings about. */
const RECIPIENT_ENDS =
  /^(?:no reply generated|termination condition met|the person ended the chat|maximum number of consecutive auto-replies reached)$/;

export const TURNS: readonly ConversationRow[] = [
  {
    id: "turns-after-the-end",
    upstream:
      "With `max_turns`, a chat goes on when its recipient has ended it or says nothing: the initiator answers itself.",
    ours: "The chat ends.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = 0, program } = difference;
      const { ours: our } = chatsOf(difference);
      const initiator = planOf(difference)?.sender ?? program.agents[0]?.name;
      return (
        field === "length" &&
        ["chat", "queue", "nested"].includes(program.profile) &&
        ours === null &&
        (theirs as NormalMessage).who === initiator &&
        our?.history[at - 1]?.name === initiator &&
        planOf(difference)?.maxTurns !== undefined &&
        RECIPIENT_ENDS.test(our?.reason ?? "")
      );
    },
  },
  {
    id: "turns-of-an-outside-group",
    upstream:
      "With `max_turns`, an initiator that is no member speaks to its group again, also after the manager ended it: the initiator does not see how it ended.",
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
      "A `MessageHistoryLimiter` that keeps the first message alone hides the one that ends a chat: the chat goes on.",
    ours: "The limit holds for what the model is shown, and the chat ends.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = 0, program } = difference;
      const their = theirs as NormalMessage | null;
      const { max, keepFirst } = agentOf(program, their?.who)?.history ?? {};
      const { ours: our } = chatsOf(difference);
      return (
        field === "length" &&
        ours === null &&
        max === 1 &&
        keepFirst === true &&
        our?.history[at - 1]?.name !== their?.who &&
        our?.reason === "termination condition met"
      );
    },
  },
  {
    id: "silent-member",
    upstream: "A member who says nothing ends the group.",
    ours: "The member is passed over until the next message (`compat`: the group ends).",
    verdict: "decision",
    page,
    matches: (difference) => {
      const { field, theirs, program, at = 0 } = difference;
      const last = chatsOf(difference).theirs?.history[at - 1];
      return (
        field === "length" &&
        theirs === null &&
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
      const speaker = our?.history[at - 1]?.name ?? "";
      return (
        field === "length" &&
        ours === null &&
        our?.reason === "no next speaker selected" &&
        program.group?.transitionsType === "allowed" &&
        program.group.compat !== true &&
        program.group.transitions?.[speaker]?.length === 0
      );
    },
  },
  {
    id: "summary-of-an-outside-group",
    upstream:
      "The summary `last_msg` of a group is the last message between its manager and the initiator, who may have seen none of the others.",
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
            (their?.history ?? []).some(
              ({ content }) => content.replace("TERMINATE", "") === text,
            )))
      );
    },
  },
  {
    id: "stay-with-the-executor",
    upstream:
      "A call that stays stays with the tool executor of the group, who says an empty text and ends it.",
    ours: "It stays with the agent who called.",
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
    upstream: "A model that answers with nothing has its agent say an empty text.",
    ours: "The model is asked again; if it gives nothing each time, the next link of the reply chain or the default reply answers.",
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
    id: "variables-without-result",
    upstream:
      "What a tool does to context variables is lost unless it returns them in a `ReplyResult`.",
    ours: "It is kept.",
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
      "The message of a first nested chat whose carryover has no messages ends with an empty context, also where it has no words of its own.",
    ours: "It has no context; a nested chat without a message is left out.",
    verdict: "decision",
    page,
    matches: ({ program, theirOutcome, field, ours, theirs }) => {
      const [first] = program.agents.flatMap(({ nested }) => nested?.queue.slice(0, 1) ?? []);
      if (first?.carryoverMethod !== "all" || field === "status") return false;
      const isShown = Object.values(theirOutcome.seen).some((views) =>
        views.some((view) => view.some(([, , text]) => text.endsWith("Context:\n"))),
      );
      const isLeftOut = (first.message ?? "") === "";
      const words = (value: unknown): string =>
        JSON.stringify(value).replaceAll(/\\nContext:\\n"/g, '"');
      return isShown && (isLeftOut || (field === "seen" && words(ours) === words(theirs)));
    },
  },
  {
    id: "old-matches",
    upstream: "An input guardrail fires again for a text that the agent has answered before.",
    ours: 'It looks at what is new, unless it has `messages: "all"`.',
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
      "A call ends the group when the member who executes it may not follow the caller, or may not speak twice.",
    ours: "The call is executed.",
    verdict: "ours is better",
    page,
    matches: (difference) => {
      const { field, ours, theirs, program, at = 0 } = difference;
      const last = chatsOf(difference).theirs?.history[at - 1];
      return (
        field === "length" &&
        theirs === null &&
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
    ours: "It is the agent who called, or whose nested chat it was.",
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
    upstream: "The last speaker of a group in which nobody answered is an agent `_User`.",
    ours: "There is none: `null`.",
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
      "The list from which a person chooses in a `ManualPattern` has helpers of the group in it: a user, the tool executor, wrappers of nested chats.",
    ours: "It has the members.",
    verdict: "upstream's defect",
    page,
    matches: ({ field, theirs, program }) =>
      program.pattern?.kind === "manual" &&
      (field === "who" || field === "length") &&
      /^(?:_user$|_tools$|wrapped_nested_)/.test((theirs as NormalMessage | null)?.who ?? ""),
  },
  {
    id: "manual-without-choice",
    upstream:
      "In a `ManualPattern`, a person who chooses nobody leaves the choice to the manager's model.",
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
      "`MessageHistoryLimiter` counts the calls of hand-overs that are left out afterwards.",
    ours: "It counts what the model would see.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent }) => {
      if (field !== "seen") return false;
      const [our, their] = [ours, theirs].map((texts) => (texts as readonly unknown[]).map(String));
      const each = agentOf(program, agent);
      return (
        program.pattern !== undefined &&
        !program.pattern.keepTransit &&
        each?.history !== undefined &&
        program.agents.some(({ handoffs }) => handoffs?.llm !== undefined) &&
        our?.length === each.history.max &&
        (their ?? []).every((text) => our?.includes(text))
      );
    },
  },
  {
    id: "unanswered-calls",
    upstream: "A model is shown calls that nobody carried out without a result.",
    ours: "Each call has a result, which says that the conversation went on.",
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

/** True behind a message of the same chat in which ours has a default reply and theirs nothing. */
function isAfterDefault(difference: ConversationDifference): boolean {
  const { program, ourOutcome, theirOutcome, chat, at = Infinity } = difference;
  return ourOutcome.chats.some(
    ({ history }, index) =>
      (chat ?? index) === index &&
      history.some((message, place) => {
        const { auto } = agentOf(program, message.name) ?? {};
        const their = theirOutcome.chats[index]?.history[place];
        const isBefore = chat === undefined || place < at;
        return isBefore && auto !== undefined && message.content === auto && their?.content === "";
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
