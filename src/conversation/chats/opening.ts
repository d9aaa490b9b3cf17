import type { AgentWork } from "../../agent/agent-work.ts";
import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { withCarryover, type Carryover } from "../carryover.ts";
import { askPerson } from "../turns/person-reply.ts";

/** What opens a chat: a text, a message, parts, or a function that makes one, called once. Nothing: a person is asked. */
export type OpeningMessage =
  | JsonValue
  | ((about: {
      readonly sender: ConversableAgent;
      readonly recipient: ConversableAgent;
      /** What earlier chats hand on; the function's message is used as it is. */
      readonly carryover: readonly JsonValue[];
    }) => JsonValue | Promise<JsonValue>);

/** A chat's first message, and what a person typed if one was asked for it. */
export type Opening = { readonly message: JsonValue; readonly humanInput?: string };

const OPENING = "opening";

/** The first message of a chat, as a step at `opening` below it. */
export async function openingMessage(
  place: RunScope,
  [sender, recipient]: readonly [ConversableAgent, ConversableAgent],
  {
    message,
    carryover,
    work,
  }: {
    readonly message?: OpeningMessage | undefined;
    readonly carryover?: Carryover | undefined;
    /** The sender's, where its person is asked. */
    readonly work: AgentWork;
  },
): Promise<Opening> {
  const list = typeof carryover === "string" ? [carryover] : (carryover ?? []);
  if (typeof message === "function")
    return place.at(OPENING).callOnce(async () => ({
      message: await message({ sender, recipient, carryover: list }),
    }));
  if (message !== undefined && message !== null)
    return { message: withCarryover(message, carryover) };
  const humanInput = await askPerson(place, {
    key: OPENING,
    agent: sender,
    work,
    peer: recipient,
  });
  return { message: withCarryover(humanInput, carryover), humanInput };
}
