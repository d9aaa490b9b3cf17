import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { withCarryover, type Carryover } from "../carryover.ts";
import { askPerson } from "../turns/person-reply.ts";
import type { OpeningMessage } from "./opening-message.ts";

/** A chat's first message, and the input of a person asked for it. */
export type Opening = { readonly message: JsonValue; readonly humanInput?: string };

/** Makes the first message of a chat. */
export async function openingMessage(
  place: RunScope,
  [sender, recipient]: readonly [TalkingMember, TalkingMember],
  {
    message,
    carryover,
    ofCaller,
    screened,
  }: {
    readonly message?: OpeningMessage | undefined;
    /** The caller's message, in place of `message`; a function receives it. */
    readonly ofCaller?: JsonValue | undefined;
    readonly carryover?: Carryover | undefined;
    /** Screens a person's input. */
    readonly screened: (typed: string) => Promise<string>;
  },
): Promise<Opening> {
  const list = typeof carryover === "string" ? [carryover] : (carryover ?? []);
  if (typeof message === "function")
    return place.callOnce(async () => ({
      message: asMessage(
        await message({
          sender,
          recipient,
          carryover: list,
          ...(ofCaller === undefined ? undefined : { message: ofCaller }),
        }),
      ),
    }));
  const own = ofCaller ?? message;
  if (own !== undefined && own !== null)
    return { message: asMessage(withCarryover(own, carryover)) };
  const humanInput = await screened(await askPerson(place, { agent: sender, peer: recipient }));
  return { message: withCarryover(humanInput, carryover), humanInput };
}

/** Parts of a message become a message. Throws `invalid_input` for a list of whole messages. */
function asMessage(message: JsonValue): JsonValue {
  if (!Array.isArray(message)) return message;
  const parts = message as readonly JsonValue[];
  if (!parts.some((part) => isJsonObject(part) && part["content"] !== undefined))
    return { content: message };
  throw new EngineError(
    "invalid_input",
    "the opening message of a chat is one message, got a list of messages: pass the message itself, and earlier ones as `chatMessages` of the agent",
  );
}
