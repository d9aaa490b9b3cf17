import type { JsonValue } from "../../base/json.ts";
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
