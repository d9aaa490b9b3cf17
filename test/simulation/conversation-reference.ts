// What a conversation may come to, told without a journal and without the code of conversations.
import { isJsonObject, jsonText, type JsonValue } from "../../src/base/json.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import {
  MARK,
  marks,
  nameOf,
  openerOf,
  OPENING,
  questionOf,
  speechOf,
  UNANSWERED,
  type ConversationNode,
  type ConversationValue,
  type MemberNode,
} from "./conversation.ts";
import { stepValue } from "./action.ts";
import type { Facts } from "./reference.ts";

type Line = ConversationValue["lines"][number];

/** True when the conversation at `key` may come to `value`. What people said and who a function chose is read off it. */
export function mayHaveSaid(
  node: ConversationNode,
  { key, facts }: { readonly key: string; readonly facts: Facts },
  value: JsonValue | undefined,
): boolean {
  const { lines } = isJsonObject(value) ? (value as ConversationValue) : { lines: [] };
  const said: Line[] = [[openerOf(node), OPENING]];
  const views = node.members.map(() => new Map<number, string>());
  let count = 0;
  let speaker: number | null = null;
  for (let round = 1; said.length < node.maxRounds; round++) {
    const line: Line | undefined = lines[round];
    speaker = node.by === "function" ? placeOf(node, line) : followerOf(node, speaker, count);
    if (speaker === null) break;
    const member = node.members[speaker] as MemberNode;
    const name = nameOf(speaker);
    const place = joinKey(key, `chat/round:${round}/${name}`);
    if (member.counts && member.says !== "person") count++;
    const marked = views[speaker] as Map<number, string>;
    const last = said.length - 1;
    if (marks(member)) marked.set(last, `${marked.get(last) ?? said[last]?.[1] ?? ""}${MARK}`);
    const seen = said.map(([by, own], index): Line => [by, marked.get(index) ?? own]);
    const text = line?.[1] ?? "";
    const isRight =
      member.says === "person"
        ? mayBeTheirs(member, facts, { key: joinKey(place, "person"), text })
        : text === ownWords(member, place, { name, said: seen });
    if (!isRight) return false;
    said.push([name, text]);
  }
  const whole = { lines: said, count: node.by === "function" ? null : count };
  return JSON.stringify(whole) === JSON.stringify(value);
}

/** True when the conversation at `key` may fail so: by a person who took too long. */
export function mayBreakOff(
  node: ConversationNode,
  { key, facts }: { readonly key: string; readonly facts: Facts },
  { code, message }: { readonly code: string; readonly message: string },
): boolean {
  if (code !== "wait_expired") return false;
  return node.members.some(({ says, dueMs, otherwise }, index) => {
    if (says !== "person" || dueMs === null || otherwise) return false;
    for (let round = 1; round < node.maxRounds; round++) {
      const place = joinKey(key, `chat/round:${round}/${nameOf(index)}/person`);
      if (message.includes(place) && !facts.answered(place)) return true;
    }
    return false;
  });
}

/** Whom a function chose, by what they said. */
function placeOf({ members }: ConversationNode, line: Line | undefined): number | null {
  const index = members.findIndex((_, place) => nameOf(place) === line?.[0]);
  return index === -1 ? null : index;
}

function followerOf(
  { by, members }: ConversationNode,
  speaker: number | null,
  count: number,
): number | null {
  if (speaker === null) return 0;
  const own = members[speaker] as MemberNode;
  if (by === "handoffs")
    return own.once !== null && count >= own.once.count ? own.once.next : own.next;
  const exception = members.find(({ once }) => once?.count === count)?.once;
  return exception === undefined || exception === null ? own.next : exception.next;
}

function mayBeTheirs(
  { dueMs, otherwise }: MemberNode,
  facts: Facts,
  { key, text }: { readonly key: string; readonly text: string },
): boolean {
  if (facts.mayBeAnsweredBy(key, "human", { value: text })) return true;
  return dueMs !== null && otherwise && text === UNANSWERED && !facts.answered(key);
}

/** What a member says by its model or function, or by the model of somebody whom it asks what was said last. */
function ownWords(
  member: MemberNode,
  place: string,
  { name, said }: { readonly name: string; readonly said: readonly Line[] },
): string {
  const after = member.counts ? 1 : 0;
  const texts = said.map(([, text]) => text);
  const speech = (step: string, sent: readonly string[]): string =>
    jsonText(stepValue(speechOf(member), `${place}/${step}`, questionOf(sent)) ?? "");
  switch (member.says) {
    case "function":
      return speech(`reply:${after}`, texts);
    case "nested":
      return speech(`reply:${1 + after}/chat:1/turn:1:inner/llm`, [`user: ${texts.at(-1) ?? ""}`]);
    default:
      return speech("llm", shownTo(name, said));
  }
}

/** Its own words are the assistant's; those of others begin with their names. */
function shownTo(name: string, said: readonly Line[]): readonly string[] {
  return said.map(([by, text]) => (by === name ? `assistant: ${text}` : `user: ${by}: ${text}`));
}
