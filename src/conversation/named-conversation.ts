// A conversation that another one names.
//
//   NCV1. It is found when a run starts: the one of the deployed code, else the tenant's stored one. What was found is on record, so
//         that a definition that is changed or deleted later changes nothing in the run.
//   NCV2. Conversations that lead to each other in a circle are refused before anybody speaks, as is one that there is not.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Talk } from "./chats/talk.ts";
import type { InnerConversation } from "./groups/inner-conversation.ts";
import type { GroupChatResult } from "./groups/run-pattern.ts";

/** A conversation that can be found by its name. */
export interface ReachableConversation extends InnerConversation {
  /** The conversations that it leads to. */
  readonly conversationNames: readonly string[];
}

/** Where conversations are found by name. */
export type ConversationFinder = {
  readonly registered: (name: string) => ReachableConversation | undefined;
  /** Reads a stored definition. Throws `invalid_definition`. */
  readonly read: (name: string, definition: JsonValue) => ReachableConversation;
};

const MAX_CONVERSATIONS = 50;

/** What was found in each drive of a run. */
const foundIn = new WeakMap<object, ReadonlyMap<string, ReachableConversation>>();

/** Stands for a conversation until a run has found it. */
export class NamedConversation implements InnerConversation {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  converse(
    talk: Talk,
    place: RunScope,
    options: { readonly messages: string; readonly maxRounds: number },
  ): Promise<Pick<GroupChatResult, "summary" | "usageByAgent">> {
    const found = foundIn.get(place.drive)?.get(this.name);
    if (found === undefined) throw noConversation(this.name);
    return found.converse(talk, place, options);
  }
}

/** Finds all conversations that a run may lead to. Throws `not_found` and `invalid_definition`. */
export async function findConversations(
  scope: RunScope,
  root: { readonly name: string; readonly conversationNames: readonly string[] },
  { registered, read }: ConversationFinder,
): Promise<void> {
  const { conversationNames: names } = root;
  if (names.length === 0) return;
  const stored = await scope.at("conversations").callOnce(async () => {
    const definitions: Record<string, JsonValue> = {};
    const seen = new Set<string>();
    const wanted = [...names];
    for (const name of wanted) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (seen.size > MAX_CONVERSATIONS)
        throw new EngineError(
          "limit_exceeded",
          `conversation "${root.name}" leads to more than ${MAX_CONVERSATIONS} others`,
        );
      const own = registered(name);
      if (own !== undefined) {
        wanted.push(...own.conversationNames);
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop -- what it leads to is known when it has been read
      const row = await scope.services.storedDefinitions?.("conversation", name);
      if (row === undefined) throw noConversation(name);
      definitions[name] = row.definition;
      wanted.push(...read(name, row.definition).conversationNames);
    }
    return definitions;
  });
  const found = new Map<string, ReachableConversation>();
  const find = (name: string): ReachableConversation => {
    const known = found.get(name) ?? registered(name) ?? read(name, stored[name] ?? null);
    found.set(name, known);
    return known;
  };
  refuseCircles(root, find);
  foundIn.set(scope.drive, new Map([...(foundIn.get(scope.drive) ?? []), ...found]));
}

/** Visits everything that can be reached, and thereby finds it. */
function refuseCircles(
  root: { readonly name: string; readonly conversationNames: readonly string[] },
  find: (name: string) => ReachableConversation,
): void {
  const finished = new Set<string>();
  const visit = (names: readonly string[], path: readonly string[]): void => {
    for (const name of names) {
      if (path.includes(name))
        throw new EngineError(
          "invalid_definition",
          `conversations lead to each other in a circle: ${[...path.slice(path.indexOf(name)), name].join(" → ")}`,
        );
      if (finished.has(name)) continue;
      visit(find(name).conversationNames, [...path, name]);
      finished.add(name);
    }
  };
  visit(root.conversationNames, [root.name]);
}

function noConversation(name: string): EngineError {
  return new EngineError("not_found", `there is no conversation "${name}"`);
}
