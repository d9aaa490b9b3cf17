// Random conversations. Equal seeds give equal conversations; a change in one profile leaves the others as they are.
import { Random } from "../support/random.ts";
import { CaseWriter } from "./case-writer.ts";
import type { ConversationCase, Profile } from "./conversation-case.ts";
import { chat } from "./profiles/chat.ts";
import { expressions } from "./profiles/expressions.ts";
import { group } from "./profiles/group.ts";
import { nested } from "./profiles/nested.ts";
import { pattern } from "./profiles/pattern.ts";
import { queue } from "./profiles/queue.ts";
import { resume } from "./profiles/resume.ts";

const MAKERS: Readonly<Record<Profile, (writer: CaseWriter, id: string) => ConversationCase>> = {
  chat,
  queue,
  nested,
  group,
  pattern,
  expressions,
  resume,
};

/** Groups have more to differ in than the others. */
const ORDER: readonly Profile[] = [
  "chat",
  "group",
  "pattern",
  "queue",
  "nested",
  "group",
  "pattern",
  "expressions",
  "resume",
];

/** `count` conversations, of all profiles in turn. */
export function generateCases(seed: number, count: number): ConversationCase[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => {
    const profile = ORDER[index % ORDER.length] as Profile;
    const own = random.fork(index);
    const made = MAKERS[profile](new CaseWriter(own), `${profile}-${seed}-${index}`);
    if (own.chance(0.15)) made.stream = true;
    return made;
  });
}

/** The conversation of an id, as `chat-808017-144`. Throws for an id that no seed gives. */
export function caseNamed(id: string): ConversationCase {
  const [, seed = "", index = ""] = /^[a-z]+-(\d+)-(\d+)$/.exec(id) ?? [];
  const made = seed === "" ? undefined : generateCases(Number(seed), Number(index) + 1).at(-1);
  if (made?.id !== id) throw new Error(`there is no conversation ${id}`);
  return made;
}
