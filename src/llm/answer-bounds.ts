// Bounds of what a model server sends, counted in bytes as they are read, unpacked and before anything is parsed.
//
//   ANB1. An answer, an event or a stream over its bound is broken off. The call fails with `answer_too_large`, which names the bound
//         and the server, and is not tried again: the server would send as much once more.
//   ANB2. Of a refusal's body the beginning is received; the rest says no more. A fault of the server with a longer one is not tried
//         again either.
//   ANB3. Bytes are counted after unpacking, so a small body that unpacks to a large one is broken off as well.
import { boundedText, type BoundedText } from "../base/bounded-text.ts";
import { EngineError } from "../base/error.ts";

const MIB = 1024 * 1024;

export type AnswerBounds = {
  /** Of a whole answer, and of one event of a stream. A step keeps as many characters. */
  readonly answerBytes: number;
  /** Of the text that an answer comes to: a million tokens, in UTF-16 units. */
  readonly streamedText: number;
  /** Of an answer with images that the provider's own tools have drawn. */
  readonly drawnBytes: number;
  /** Of all events of a stream: 128,000 tokens in events of 500 bytes. */
  readonly streamBytes: number;
  /** Of the body of a refusal. Some quote the whole request. */
  readonly errorBytes: number;
  /** Of one vector: 4,096 numbers of 20 digits, and what is around them. */
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

/** Larger events of a stream count whole towards the bound of the answer: what they hold is kept. */
const LARGE_EVENT_BYTES = 4_096;

/** Whose answer it is: the address of the server, or its name where it has none; and how much of it is read. */
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

/** The beginning of a refusal's body; empty for one that breaks off (ANB2). */
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

/** Counts the text that small events come to (ANB1). */
export class TextBound {
  readonly #server: string;
  #length = 0;

  constructor(server: string) {
    this.#server = server;
  }

  add(length: number): void {
    this.#length += length;
    boundText(this.#server, this.#length);
  }
}

/** Refuses an answer with more characters than a step may keep, such as one that a binding gives whole (ANB1). */
export function boundText(server: string, length: number): void {
  const { streamedText } = ANSWER_BOUNDS;
  if (length > streamedText) throw tooLarge(server, "an answer", `${streamedText} characters`);
}

function tooLarge(server: string, what: string, most: string): EngineError {
  return new EngineError(
    "answer_too_large",
    `${server} sent ${what} of more than ${most}, the most that is read; the rest was not received`,
  );
}
