// Schema of the chats of a conversation defined as data, in place of a pattern.
import * as z from "zod";
import { modelSpecSchema as modelSpec } from "../../llm/model-spec-schema.ts";

const name = z.string().min(1);
const count = z.int().min(1);

const groupChat = z.strictObject({
  agents: z.array(name).min(2),
  /** Messages at most, including the first one. @default 10 */
  maxRound: count.max(10_000).optional(),
  /** @default auto */
  speakerSelectionMethod: z.enum(["auto", "manual", "random", "round_robin"]).optional(),
  allowRepeatSpeaker: z.boolean().optional(),
  sendIntroductions: z.boolean().optional(),
  /** Model of the manager, which selects the speakers. @default the environment's */
  llm: modelSpec.optional(),
});

const chatFields = {
  sender: name.optional(),
  /** A member; or else `groupChat`. */
  recipient: name.optional(),
  /** The manager of this group is the recipient. */
  groupChat: groupChat.optional(),
  /** Opening, if the kickoff has none. */
  message: z.string().optional(),
  maxTurns: count.max(10_000).optional(),
  clearHistory: z.boolean().optional(),
  summaryMethod: z.enum(["last_msg", "reflection_with_llm"]).optional(),
  summaryPrompt: z.string().optional(),
};

export const exchangeFields = {
  /** A chat of two, or with a group. */
  chat: z.strictObject(chatFields).optional(),
  /** Chats in sequence: each receives the summaries of those before it. */
  chats: z
    .array(z.strictObject({ ...chatFields, carryover: z.string().optional() }))
    .min(1)
    .optional(),
  /** Opens the chats without a sender of their own. */
  sender: name.optional(),
};

/** A chat as data. */
export type ChatDefinition = NonNullable<z.infer<typeof exchangeFields.chats>>[number];
