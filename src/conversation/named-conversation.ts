// A conversation named by another one.
//
//   NCV1. It is looked up when a run starts: in the deployed code, else among the tenant's stored conversations. The
//         result is recorded, so later changes or deletions of the definition do not affect the run.
//   NCV2. Conversations that lead to each other in a circle are refused before the first message, as are unknown ones.
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Talk } from "./chats/talk.ts";
import type { GroupChatResult } from "./groups/group-chat-result.ts";
import type { InnerConversation } from "./groups/inner-conversation.ts";

/** A conversation that can be looked up by its name. */
export interface ReachableConversation extends InnerConversation {
  /** Names of its target conversations. */
  readonly conversationNames: readonly string[];
}

/** Lookup of conversations by name. */
export type ConversationFinder = {
  readonly registered: (name: string) => ReachableConversation | undefined;
  /** Reads a stored definition for runs with these services. Throws `invalid_definition`. */
  readonly read: (
    name: string,
    definition: JsonValue,
    services: RunServices,
  ) => ReachableConversation;
};

const MAX_CONVERSATIONS = 50;

/** Conversations found in each drive of a run. */
const foundIn = new WeakMap<object, ReadonlyMap<string, ReachableConversation>>();

/** Stands for a conversation until a run has looked it up. */
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

/** Finds all conversations that a run may reach. Throws `not_found` and `invalid_definition`. */
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
      const row = await scope.services.storedDefinitions?.("conversation", name);
      if (row === undefined) throw noConversation(name);
      definitions[name] = row.definition;
      wanted.push(...read(name, row.definition, scope.services).conversationNames);
    }
    return definitions;
  });
  const found = new Map<string, ReachableConversation>();
  const find = (name: string): ReachableConversation => {
    const known =
      found.get(name) ?? registered(name) ?? read(name, stored[name] ?? null, scope.services);
    found.set(name, known);
    return known;
  };
  refuseCircles(root, find);
  foundIn.set(scope.drive, new Map([...(foundIn.get(scope.drive) ?? []), ...found]));
}

/** Visits all reachable conversations, and thereby finds them. */
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
