// Turns that the two sides take differently.
import { isDeepStrictEqual } from "node:util";
import type { ConversationRow } from "./accepted.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import { agentOf, calledTools, chatsOf, planOf, textOf } from "./difference-rules.ts";
import type { MessageOutcome, Outcome } from "./outcome.ts";
import {
  INTERRUPTED,
  isHandoffNote,
  normalName,
  pythonText,
  withoutMarks,
  type NormalMessage,
} from "./normal-forms.ts";

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
      if (isHeardAtTheEnd(difference)) return true;
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
        (program.chat?.maxTurns ?? 1) > 1 &&
        !program.members?.includes(program.initiator ?? "") &&
        (theirs as NormalMessage).who === program.initiator &&
        chatsOf(difference).ours?.reason === "termination condition met"
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
      const { field, theirs, program, at = 0, ourOutcome, theirOutcome } = difference;
      const { history = [] } = chatsOf(difference).theirs ?? {};
      // Where the next one is silent, too, a further choice is all that differs.
      const isChosenAgain =
        field === "modelCalls" && selections(ourOutcome) > selections(theirOutcome);
      const last = isChosenAgain ? history.at(-1) : history[at - 1];
      // The initiator speaks to its group again.
      const isNextTurn =
        field === "who" &&
        program.profile === "group" &&
        (program.chat?.maxTurns ?? 1) > 1 &&
        (theirs as NormalMessage).who === program.initiator;
      return (
        (isNextTurn || isChosenAgain || (field === "length" && theirs === null)) &&
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
      "The summary `last_msg` of a group is the last message between its manager and the initiator. For an initiator outside of the group this is its own opening, also when the group ended at `max_round`; for a member it is the last message.",
    ours: "It is the last message of the group, for every initiator and every end.",
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
    id: "variables-without-result",
    upstream:
      "A tool's changes of context variables are lost unless it returns them in a `ReplyResult`.",
    ours: "They stay.",
    verdict: "ours is better",
    page,
    matches: (difference) => {
      const { field, ours, theirs, program } = difference;
      const counted = (value: unknown): string =>
        JSON.stringify(value).replaceAll(/("count":|count is )\d+/g, "$1");
      const isCounted =
        (field === "variables" || field === "result" || field === "seen") &&
        counted(ours) === counted(theirs);
      return calledTools(program).includes("poke") && (isCounted || isHandoverByCount(difference));
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
      const { history = [] } = chatsOf(difference).theirs ?? {};
      const last = history[at - 1];
      const their = theirs as NormalMessage | null;
      const isLacking =
        field === "who" &&
        their !== null &&
        their.results.length > 0 &&
        their.results.every(
          (result) =>
            // A person may speak in place of the member.
            /^Error: Function \S+ not found/.test(result) || result === INTERRUPTED.theirs,
        );
      const isLimited =
        program.profile === "group" &&
        (program.group?.transitions !== undefined || program.group?.repeat !== undefined);
      // In ours a person may clear the history behind the result.
      const isCleared =
        program.group?.clear === true &&
        (field === "content" || field === "length") &&
        (history.at(-1)?.calls ?? []).length > 0 &&
        hasClearedHistory(difference);
      return (
        isLimited &&
        (isCleared ||
          (((field === "length" && their === null) || isLacking) &&
            (ours as NormalMessage).results.length > 0 &&
            (last?.calls ?? []).length > 0))
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
];

/** The initiator's hook hears its own last message, to which it has no reply left. */
function isHeardAtTheEnd(difference: ConversationDifference): boolean {
  const { field, ours, at, program } = difference;
  const { ours: our, theirs: their } = chatsOf(difference);
  const [mine, heard] = [our?.history.at(-1), their?.history.at(-1)];
  const initiator = planOf(difference)?.sender ?? program.agents[0]?.name;
  const isHeard =
    planOf(difference)?.maxTurns !== undefined &&
    RECIPIENT_ENDS.test(our?.reason ?? "") &&
    our?.history.length === their?.history.length &&
    mine?.name === initiator &&
    agentOf(program, initiator)?.hooks?.includes("process_last_received_message") === true &&
    pythonText(textOf(heard)) === pythonText(`${textOf(mine)} ~heard`);
  if (field === "content") return isHeard && at === (our?.history.length ?? 0) - 1;
  return field === "summary" && isHeard && (ours as { readonly last?: true }).last === true;
}

/** One side alone hands over, by a condition on a variable that an earlier call has counted up. */
function isHandoverByCount(difference: ConversationDifference): boolean {
  const { field, ours, theirs, program, at = 0 } = difference;
  const { history = [] } = chatsOf(difference).ours ?? {};
  const { handoffs } = agentOf(program, history[at]?.name) ?? {};
  const counts = history.slice(0, at).flatMap(({ results = [] }) => results);
  const isNote = (side: unknown): boolean => {
    const said = field === "calls" ? (side as NormalMessage).content : side;
    return isHandoffNote(withoutMarks(said));
  };
  return (
    (field === "content" || field === "calls") &&
    isNote(ours) !== isNote(theirs) &&
    (handoffs?.context ?? []).some(({ condition = "" }) => condition.includes("${count}")) &&
    counts.some((result) => result.startsWith("count is "))
  );
}

/** A person of ours cleared the history, and in theirs nobody was asked. */
function hasClearedHistory(difference: ConversationDifference): boolean {
  const { ours, theirs } = chatsOf(difference);
  return (
    (ours?.human ?? []).some((words) => /clear history/i.test(words)) &&
    (theirs?.human ?? []).length === 0
  );
}

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

/** The value as JSON, without marks and default replies, of agents whose model gives nothing at some time. */
function withoutDefaults(value: unknown, { agents, script }: ConversationCase): string {
  const defaults = agents
    .filter(({ name }) => (script[name] ?? []).some(({ text }) => text === ""))
    .flatMap(({ auto }) => auto ?? []);
  return defaults.reduce(
    (text, auto) => text.replaceAll(auto, ""),
    JSON.stringify(value).replaceAll(/ ~(?:sent|heard)/g, ""),
  );
}
