// Differences between the two outcomes of one conversation.
import { isDeepStrictEqual } from "node:util";
import type { ConversationCase } from "./conversation-case.ts";
import {
  guardrailNote,
  isHandoffNote,
  normalMessage,
  normalName,
  shownTexts,
  withoutMarks,
  type NormalMessage,
} from "./normal-forms.ts";
import type { ChatOutcome, Outcome } from "./outcome.ts";

export type Field =
  | "status"
  | "chats"
  | "length"
  | "who"
  | "calls"
  | "content"
  | "result"
  | "results"
  | "role"
  | "summary"
  | "human"
  | "variables"
  | "lastSpeaker"
  | "toolCalls"
  | "modelCalls"
  | "seen"
  | "truth";

export type ConversationDifference = {
  readonly field: Field;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly program: ConversationCase;
  readonly ourOutcome: Outcome;
  readonly theirOutcome: Outcome;
  /** Number of the chat in a queue. */
  readonly chat?: number;
  /** Place of the message in its chat, or of the expression. */
  readonly at?: number;
  /** Agent whose model was shown something else. */
  readonly agent?: string;
};

type Add = (
  field: Field,
  values: { readonly ours: unknown; readonly theirs: unknown },
  place?: Pick<ConversationDifference, "chat" | "at" | "agent">,
) => void;

/**
 * Everything that differs. Nothing is compared after a message of somebody else, one that a guardrail stopped, that hands over or
 * that a person typed or a reply function gave on one side alone, or calls that one side alone carried out: the rest follows from it.
 */
export function compareOutcomes(
  program: ConversationCase,
  ourOutcome: Outcome,
  theirOutcome: Outcome,
): readonly ConversationDifference[] {
  const differences: ConversationDifference[] = [];
  const add: Add = (field, values, place = {}) => {
    if (!isDeepStrictEqual(plain(values.ours), plain(values.theirs)))
      differences.push({ field, ...values, program, ourOutcome, theirOutcome, ...place });
  };
  const both = (field: Field, read: (outcome: Outcome) => unknown): void =>
    add(field, { ours: read(ourOutcome), theirs: read(theirOutcome) });
  both("status", ({ status }) => status);
  if (ourOutcome.status !== theirOutcome.status || ourOutcome.status !== "completed")
    return differences;
  compareTruths(ourOutcome, theirOutcome, add);
  both("chats", ({ chats }) => chats.length);
  for (const [chat, theirs] of theirOutcome.chats.entries()) {
    const ours = ourOutcome.chats[chat];
    if (ours === undefined) break;
    if (!compareMessages({ ours, theirs, chat, program }, add)) return differences;
    add("summary", { ours: summaryOf(ours), theirs: summaryOf(theirs) }, { chat });
    const ownWords = theirs.human?.length;
    add("human", { ours: ours.human?.slice(0, ownWords), theirs: theirs.human }, { chat });
  }
  both("variables", ({ variables = {} }) => variables);
  both("lastSpeaker", ({ lastSpeaker }) => normalName(lastSpeaker));
  both("toolCalls", ({ toolCalls }) => toolCalls);
  both("modelCalls", ({ calls }) => calls);
  compareSeen(ourOutcome, theirOutcome, add);
  return differences;
}

export function describeDifference(difference: ConversationDifference): string {
  const { field, ours, theirs, chat, at } = difference;
  const { ourOutcome, theirOutcome } = difference;
  const place = [chat, at].filter((each) => each !== undefined).join(".");
  const why =
    field === "status"
      ? ` (${ourOutcome.message ?? ""} | ${theirOutcome.error ?? ""} ${theirOutcome.message ?? ""} ${theirOutcome.trace?.slice(-3).join(" < ") ?? ""})`
      : "";
  const reason = ourOutcome.chats[chat ?? 0]?.reason ?? "";
  return `${field} ${place}: ours ${short(ours)}, AG2 ${short(theirs)}${why} [${reason}]`;
}

/** True for conversations in which everybody hears everything. */
export function isGroup({ profile }: ConversationCase): boolean {
  return profile === "group" || profile === "pattern" || profile === "resume";
}

/** Returns false when the two have become different conversations. */
function compareMessages(
  about: {
    readonly ours: ChatOutcome;
    readonly theirs: ChatOutcome;
    readonly chat: number;
    readonly program: ConversationCase;
  },
  add: Add,
): boolean {
  const { chat, program } = about;
  const isWhole = isGroup(program);
  const [ours, theirs] = [about.ours, about.theirs].map(({ history }) =>
    history.map((each) => normalMessage(each, isWhole)),
  ) as [NormalMessage[], NormalMessage[]];
  for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
    const [our, their] = [ours[at], theirs[at]];
    const place = { chat, at };
    if (our === undefined || their === undefined) {
      add("length", { ours: our ?? null, theirs: their ?? null }, place);
      return false;
    }
    for (const field of ["who", "calls"] as const)
      if (!isDeepStrictEqual(our[field], their[field])) {
        add(field, { ours: our, theirs: their }, place);
        return false;
      }
    const isOther = [isStopped, isHanded, isTyped, isRegistered].some(
      (speaks) => speaks(our, program) !== speaks(their, program),
    );
    if (isOther) {
      add("content", { ours: our.content, theirs: their.content }, place);
      return false;
    }
    if (our.results.length > 0 !== their.results.length > 0) {
      add("results", { ours: our, theirs: their }, place);
      return false;
    }
    for (const field of ["content", "role"] as const)
      add(field, { ours: our[field], theirs: their[field] }, place);
    const longest = our.results.length > their.results.length ? our.results : their.results;
    for (const index of longest.keys())
      add("result", { ours: our.results[index], theirs: their.results[index] }, place);
  }
  return true;
}

/** A guardrail speaks, and hands over. */
function isStopped({ content }: NormalMessage): boolean {
  return guardrailNote(content) !== undefined;
}

/** A note of a hand-over stands in place of an answer. */
function isHanded({ content }: NormalMessage): boolean {
  return isHandoffNote(withoutMarks(content));
}

/** A reply function speaks in place of the model. */
function isRegistered({ who, content }: NormalMessage, { agents }: ConversationCase): boolean {
  const { replies = [] } = agents.find(({ name }) => name === who) ?? {};
  return replies.some(
    ({ answer }) => typeof answer === "object" && answer.text === withoutMarks(content),
  );
}

/** A person speaks in place of the agent. */
function isTyped({ who, content }: NormalMessage, { agents }: ConversationCase): boolean {
  const { human = [] } = agents.find(({ name }) => name === who) ?? {};
  return content !== "" && human.includes(withoutMarks(content));
}

/** `last` for the text of the last message, which is compared by itself. */
function summaryOf({ summary, history }: ChatOutcome): object {
  return summary === (history.at(-1)?.content ?? "") ? { last: true } : { text: summary };
}

/** Texts that each model got at each of its calls. A selecting model has a prompt of each side's own. */
function compareSeen(ours: Outcome, theirs: Outcome, add: Add): void {
  for (const [agent, views] of Object.entries(theirs.seen))
    if (!agent.startsWith("_"))
      for (const [at, view] of views.entries()) {
        const our = ours.seen[agent]?.[at] ?? [];
        add("seen", { ours: shownTexts(our), theirs: shownTexts(view) }, { at, agent });
      }
}

function compareTruths(ours: Outcome, theirs: Outcome, add: Add): void {
  for (const [at, truth] of (theirs.truths ?? []).entries()) {
    const our = ours.truths?.[at];
    const isError = (value: unknown): boolean => String(value).startsWith("error");
    if (!(isError(our) && isError(truth))) add("truth", { ours: our, theirs: truth }, { at });
  }
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 300);
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
