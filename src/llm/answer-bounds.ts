// Size limits for the data of a model server, counted in bytes while reading, after unpacking and before parsing.
//
//   ANB1. An answer, an event or a stream over its bound is aborted. The call fails with `answer_too_large`, which
//         names the bound and the server, and is not retried: the server would send as much once more.
//   ANB2. Only the beginning of a refusal's body is read; the rest adds no information. A server error with a longer
//         body is not retried either.
//   ANB3. Bytes are counted after unpacking, so a small body that unpacks to a large one is aborted as well.
import { boundedText, type BoundedText } from "../base/bounded-text.ts";
import { EngineError } from "../base/error.ts";

const MIB = 1024 * 1024;

export type AnswerBounds = {
  /** Maximum size of a whole answer, and of one event of a stream. A step stores as many characters. */
  readonly answerBytes: number;
  /** Maximum text of an answer: a million tokens, in UTF-16 units. */
  readonly streamedText: number;
  /** Maximum size of an answer with images drawn by the provider's own tools. */
  readonly drawnBytes: number;
  /** Maximum size of all events of a stream: 128,000 tokens in events of 500 bytes. */
  readonly streamBytes: number;
  /** Maximum size of a refusal's body. Some quote the whole request. */
  readonly errorBytes: number;
  /** Maximum size of one vector: 4,096 numbers of 20 digits, and the surrounding text. */
  readonly vectorBytes: number;
};

export const ANSWER_BOUNDS: AnswerBounds = {
  answerBytes: 8 * MIB,
  streamedText: 4 * MIB,
  drawnBytes: 32 * MIB,
  streamBytes: 64 * MIB,
  errorBytes: MIB,
  vectorBytes: MIB / 8,
};

/** Larger events of a stream count whole towards the bound of the answer, because their content is stored. */
const LARGE_EVENT_BYTES = 4_096;

/** Source of an answer: the server's address, or its name if it has none; and the read limit. */
export type AnswerSource = {
  readonly server: string;
  /** @default `ANSWER_BOUNDS.answerBytes` */
  readonly maxBytes?: number | undefined;
};

/** The text of an answer (ANB1). */
export async function answerText(
  response: Response,
  { server, maxBytes = ANSWER_BOUNDS.answerBytes }: AnswerSource,
): Promise<string> {
  const { text, isWhole } = await boundedText(response, maxBytes);
  if (!isWhole) throw tooLarge(server, "an answer", `${maxBytes} bytes`);
  return text;
}

/** Returns the beginning of a refusal's body; empty for an aborted one (ANB2). */
export async function refusalText(response: Response, server: string): Promise<string> {
  const { errorBytes } = ANSWER_BOUNDS;
  const { text, isWhole } = await boundedText(response, errorBytes).catch(() => EMPTY);
  if (!isWhole && response.status >= 500)
    throw tooLarge(server, `an error (${response.status})`, `${errorBytes} bytes`);
  return text;
}

const EMPTY: BoundedText = { text: "", isWhole: true };

/** Bytes of the answers to this many texts. */
export function vectorBytes(texts: number): number {
  return ANSWER_BOUNDS.errorBytes + texts * ANSWER_BOUNDS.vectorBytes;
}

/** Counts a stream as it comes (ANB1). */
export class StreamBound {
  readonly #server: string;
  readonly #maxBytes: number;
  #bytes = 0;
  #unread = 0;
  #large = 0;

  constructor({ server, maxBytes = ANSWER_BOUNDS.answerBytes }: AnswerSource) {
    this.#server = server;
    this.#maxBytes = maxBytes;
  }

  /** A piece has arrived. */
  piece({ byteLength }: Uint8Array): void {
    this.#bytes += byteLength;
    this.#unread += byteLength;
    const { streamBytes } = ANSWER_BOUNDS;
    if (this.#bytes > streamBytes + this.#maxBytes)
      throw tooLarge(this.#server, "a stream", `${streamBytes + this.#maxBytes} bytes`);
    if (this.#unread > this.#maxBytes)
      throw tooLarge(this.#server, "an event of a stream", `${this.#maxBytes} bytes`);
  }

  /** An event is whole. */
  event({ length }: string): void {
    this.#unread = 0;
    if (length <= LARGE_EVENT_BYTES) return;
    this.#large += length;
    if (this.#large > this.#maxBytes)
      throw tooLarge(this.#server, "a streamed answer", `${this.#maxBytes} bytes`);
  }
}

/** Counts the total text of small events (ANB1). */
export class TextBound {
  readonly #server: string;
  #length = 0;

  constructor(server: string) {
    this.#server = server;
  }

  add(length: number): void {
    this.#length += length;
    const { streamedText } = ANSWER_BOUNDS;
    if (this.#length > streamedText)
      throw tooLarge(this.#server, "a streamed answer", `${streamedText} characters`);
  }
}

/** Refuses an answer with more characters than a step may store, such as a whole one from a binding (ANB1). */
export function boundText(server: string, length: number): void {
  const { answerBytes } = ANSWER_BOUNDS;
  if (length > answerBytes) throw tooLarge(server, "an answer", `${answerBytes} characters`);
}

function tooLarge(server: string, what: string, most: string): EngineError {
  return new EngineError(
    "answer_too_large",
    `${server} sent ${what} of more than ${most}, the most that is read; the rest was not received`,
  );
}
