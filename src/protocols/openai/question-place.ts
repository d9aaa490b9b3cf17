// Records of questions. A chat has no ids of its own, and equal words are asked in several chats: so the text of a
// question ends with its id, which clients send back with the conversation.
import { digestText } from "../../base/bytes.ts";
import type { JsonValue } from "../../base/json.ts";

/** The caller whose next message may answer: its key's id, the model, the user, and the name of the conversation. */
export type Asker = readonly string[];

/** Returns the thread with the record of a question to this caller. */
export async function questionPlace(asker: readonly JsonValue[], id: string): Promise<string> {
  return `question:${await digestText(JSON.stringify([asker, id]))}`;
}
