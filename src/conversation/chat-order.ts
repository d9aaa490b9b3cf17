// Order of chats with prerequisites.
//
//   ORD1. A chat comes after all its prerequisites. Chats that are ready at the same time keep the order of the list.
//   ORD2. Duplicate ids, unknown prerequisites, and chats that wait for each other in a circle are refused before any
//         chat starts.
import { invalidDefinition } from "../base/invalid-definition.ts";

/** A queued chat, by its id. */
export type PendingChat = { readonly chatId: number; readonly prerequisites?: readonly number[] };

/** Returns the ids in a possible order of starting. Throws `invalid_definition`. */
export function chatOrder(chats: readonly PendingChat[]): readonly number[] {
  const byId = new Map(chats.map((chat) => [chat.chatId, chat]));
  checkIds(chats, byId);
  const waitsFor = new Map(chats.map((chat) => [chat.chatId, new Set(chat.prerequisites).size]));
  const dependents = new Map<number, number[]>();
  for (const { chatId, prerequisites } of chats)
    for (const id of new Set(prerequisites))
      dependents.set(id, [...(dependents.get(id) ?? []), chatId]);
  const order = chats.map(({ chatId }) => chatId).filter((id) => waitsFor.get(id) === 0);
  for (const id of order)
    for (const dependent of dependents.get(id) ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  if (order.length < chats.length) throw circle(byId, order);
  return order;
}

function checkIds(chats: readonly PendingChat[], byId: ReadonlyMap<number, PendingChat>): void {
  const repeated = chats.find((chat) => byId.get(chat.chatId) !== chat);
  if (repeated !== undefined)
    throw invalidDefinition(
      `each chat needs a chatId of its own, got ${repeated.chatId} more than once`,
    );
  for (const { chatId, prerequisites = [] } of chats) {
    if (!Number.isSafeInteger(chatId))
      throw invalidDefinition(`a chatId must be an integer, got ${JSON.stringify(chatId)}`);
    const unknown = prerequisites.find((id) => !byId.has(id));
    if (unknown !== undefined)
      throw invalidDefinition(
        `chat ${chatId} waits for chat ${JSON.stringify(unknown)}, which does not exist; there are: ${[...byId.keys()].join(", ")}`,
      );
  }
}

/** Follows the prerequisites of a blocked chat until one repeats. */
function circle(byId: ReadonlyMap<number, PendingChat>, order: readonly number[]): Error {
  const startable = new Set(order);
  const path: number[] = [];
  let next = [...byId.keys()].find((id) => !startable.has(id));
  while (next !== undefined && !path.includes(next)) {
    path.push(next);
    next = byId.get(next)?.prerequisites?.find((id) => !startable.has(id));
  }
  const start = next === undefined ? 0 : path.indexOf(next);
  const names = [...path.slice(start), path[start]].join(" -> ");
  return invalidDefinition(`chats must not wait for each other in a circle, got ${names}`);
}
