import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { withCarryover, type Carryover } from "../carryover.ts";
import { askPerson } from "../turns/person-reply.ts";

/**
 * Opening of a chat: a text, a message, parts, or a function that makes one, called once. Without an opening, a person
 * is asked.
 */
export type OpeningMessage =
  | JsonValue
  | ((about: {
      readonly sender: ConversableAgent;
      readonly recipient: ConversableAgent;
      /** Carryover of earlier chats. The function's message is used unchanged. */
      readonly carryover: readonly JsonValue[];
    }) => JsonValue | Promise<JsonValue>);

/** A chat's first message, and the input of a person asked for it. */
export type Opening = { readonly message: JsonValue; readonly humanInput?: string };

/** Makes the first message of a chat. */
export async function openingMessage(
  place: RunScope,
  [sender, recipient]: readonly [ConversableAgent, ConversableAgent],
  {
    message,
    carryover,
    screened,
  }: {
    readonly message?: OpeningMessage | undefined;
    readonly carryover?: Carryover | undefined;
    /** Screens a person's input. */
    readonly screened: (typed: string) => Promise<string>;
  },
): Promise<Opening> {
  const list = typeof carryover === "string" ? [carryover] : (carryover ?? []);
  if (typeof message === "function")
    return place.callOnce(async () => ({
      message: await message({ sender, recipient, carryover: list }),
    }));
  if (message !== undefined && message !== null)
    return { message: withCarryover(message, carryover) };
  const humanInput = await screened(await askPerson(place, { agent: sender, peer: recipient }));
  return { message: withCarryover(humanInput, carryover), humanInput };
}
