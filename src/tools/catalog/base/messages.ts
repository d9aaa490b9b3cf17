// Messages to people: shared code of messenger tools.
//
//   PCE1. A text too long for one message is sent in pieces, cut at line ends if possible. Each piece is a step.
//   PCE2. No piece is sent twice: a recorded piece is not sent again, and one interrupted by a crash is not repeated.
//   PCE3. If a piece cannot be sent, the failure has the number of pieces sent.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import { isServiceFailure, serviceFailure } from "./service-failure.ts";
import type { ToolIo } from "./tool-io.ts";

/** One received message. */
export type Message = {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly author: string;
  readonly text: string;
};

/** Maximum number of messages read in one call. */
const MOST = 1000;
/** Default without a start time. */
const LATEST = 100;

export const messageInput = () =>
  z.object({ message: z.string().min(1).describe("The text to send") });

export const retrieveInput = () =>
  z.object({
    messages_since: z.string().optional().describe("ISO date and time, or id of a message"),
    maximum_messages: z.int().min(1).max(MOST).optional(),
  });

/** Returns the number of requested messages. */
export function mostOf({
  messages_since: since,
  maximum_messages: most,
}: z.output<ReturnType<typeof retrieveInput>>): number {
  return most ?? (since === undefined ? LATEST : MOST);
}

/** Parses a time that is not an id of the service, in milliseconds since the epoch. */
export function timeOf(since: string): number {
  const ms = Date.parse(since);
  if (Number.isFinite(ms)) return ms;
  throw serviceFailure({
    code: "bad_request",
    message: `messages_since must be an ISO date and time, such as 2026-01-15T00:00:00Z, or the id of a message; got ${JSON.stringify(since.slice(0, 100))}.`,
  });
}

/** Sends a text in pieces of at most `most` UTF-16 units. `send` returns the id of the sent message. */
export async function sendPieces(
  text: string,
  { most, io, send }: { most: number; io: ToolIo; send: (piece: string) => Promise<string> },
): Promise<ToolResult> {
  const pieces = piecesOf(text, most);
  if (pieces.length === 0)
    throw serviceFailure({ code: "bad_request", message: "message is empty: say what to send." });
  const ids: string[] = [];
  for (const piece of pieces)
    ids.push(await sendPiece(() => send(piece), { io, sent: ids.length, of: pieces.length }));
  const [id = ""] = ids;
  return toolResult({
    text:
      ids.length === 1
        ? `Sent as message ${id}.`
        : `Sent in ${ids.length} pieces, the first as message ${id}.`,
    data: { ids },
  });
}

async function sendPiece(
  send: () => Promise<string>,
  { io, sent, of }: { readonly io: ToolIo; readonly sent: number; readonly of: number },
): Promise<string> {
  try {
    return await io.context.step(`piece:${sent + 1}`, send, {
      effect: "once",
      retry: REQUEST_RETRY,
    });
  } catch (error) {
    const before = sent === 0 ? "" : `${sent} of ${of} pieces were sent. `;
    if (EngineError.is(error) && error.code === "outcome_unknown")
      throw serviceFailure({
        code: "outcome_unknown",
        message: `${before}The process ended while ${of === 1 ? "the message" : "the next one"} was being sent: it may have arrived. Nothing was sent after it.`,
      });
    if (!isServiceFailure(error)) throw error;
    // All attempts are used up.
    const { failureCode = "failed", message } = error;
    throw serviceFailure({ code: failureCode, message: `${before}${message}` });
  }
}

/** Splits a text into pieces up to a length, at line ends, else at blanks, else anywhere. */
export function piecesOf(text: string, most: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const at = placeToCut(rest, most);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).replace(/^(\r?\n| )/, "");
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== "");
}

function placeToCut(text: string, most: number): number {
  for (const sign of ["\n", " "]) {
    const at = text.lastIndexOf(sign, most);
    if (at > 0) return at;
  }
  const code = text.charCodeAt(most - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff;
  return isHalf && most > 1 ? most - 1 : most;
}

/** Returns messages in the form for models, the oldest first. `counts` are further fields of the data. */
export function messagesResult(
  messages: readonly Message[],
  counts: Readonly<Record<string, number>> = {},
): ToolResult {
  const lines = messages.map(
    ({ id, time, author, text }) => `[${time}] ${author} (${id}): ${text}`,
  );
  return toolResult({
    text: lines.join("\n") || "There are no messages.",
    data: { messages, count: messages.length, ...counts },
  });
}
