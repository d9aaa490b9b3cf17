// Ids of questions in the assistant's words. A chat has no ids of its own, and equal words are asked in several chats:
// so the text of a question ends with its id, which clients send back with the conversation.
import { digestText } from "../../base/bytes.ts";
import type { JsonValue } from "../../base/json.ts";
import { short } from "./call-ids.ts";

const WRITTEN = /\(Question ([0-9a-f]{12})\)$/;

/** Returns the id of a wait's question. */
export function questionIdOf(runId: string, key: string): string {
  return short(JSON.stringify([runId, key]));
}

/** Returns the text of a question with its id at the end. */
export function withQuestionId(text: string, id: string): string {
  return `${text}\n\n(Question ${id})`;
}

/** Returns the id at the end of a text; undefined for other texts. */
export function questionIdIn(text: string): string | undefined {
  return WRITTEN.exec(text.trimEnd())?.[1];
}

/** The caller whose next message may answer: its key's id, the model, the user, and the name of the conversation. */
export type Asker = readonly string[];

/** Returns the thread with the record of a question to this caller. */
export async function questionPlace(asker: readonly JsonValue[], id: string): Promise<string> {
  return `question:${await digestText(JSON.stringify([asker, id]))}`;
}
