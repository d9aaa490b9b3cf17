// Rules WA3 and WA4 of docs/design/whole-answers.md: continues cut answers.
import { addUsage } from "../base/usage.ts";
import type { Message, ModelRequest, ModelResponse } from "../llm/language-model.ts";
import { answerByTool } from "./answer-shape.ts";
import { answerCutOff } from "./empty-answer.ts";

const MAX_CONTINUATIONS = 4;
/** Shorter repetitions are taken for words of the text. */
const MIN_OVERLAP = 16;
const MAX_OVERLAP = 400;

const GO_ON =
  "Your answer reached the limit of its length and was cut off. Go on exactly where it stops: do not begin again, and repeat nothing.";

/** Asks for the next piece, the `piece`th continuation from 1. */
export type AskOn = (request: ModelRequest, piece: number) => Promise<ModelResponse>;

export type Continuing = {
  readonly modelId: string;
  readonly request: ModelRequest;
  readonly askOn: AskOn;
  /** True for a text with a tool call. @default no text has a call */
  readonly isCall?: ((text: string) => boolean) | undefined;
};

/**
 * Returns the whole answer: `first` itself, or joined from it and its continuations. Cut calls stay unchanged. Throws
 * `answer_cut_off`.
 */
export async function wholeAnswer(
  first: ModelResponse,
  { modelId, request, askOn, isCall }: Continuing,
): Promise<ModelResponse> {
  if (first.end !== "cut") return first;
  const written = answerByTool(first);
  if (written === undefined && (first.toolCalls.length > 0 || isCall?.(first.text) === true))
    return first;
  let text = written ?? first.text;
  let { usage } = first;
  for (let piece = 1; piece <= MAX_CONTINUATIONS; piece++) {
    const next = await askOn(goingOn(request, text), piece);
    const before = text.length;
    text = joined(text, next.text);
    usage = addUsage(usage, next.usage);
    if (next.end !== "cut") {
      const { end: _, providerParts: __, ...rest } = first;
      return { ...rest, text, toolCalls: [], usage, finishReason: next.finishReason };
    }
    // The next request would be the same.
    if (text.length === before)
      throw answerCutOff(modelId, "its answer was cut and does not go on");
  }
  throw answerCutOff(modelId, `its answer was cut at the limit ${MAX_CONTINUATIONS + 1} times`);
}

/**
 * The tools stay listed, because some providers require those of earlier calls; calls are disabled, and no schema
 * restarts the answer.
 */
function goingOn(request: ModelRequest, text: string): ModelRequest {
  const { responseSchema: _, toolChoice: __, tools, ...rest } = request;
  const messages: Message[] = [
    ...request.messages,
    { role: "assistant", content: text },
    { role: "user", content: GO_ON },
  ];
  return tools === undefined || tools.length === 0
    ? { ...rest, messages }
    : { ...rest, messages, tools, toolChoice: "none" };
}

/** Joins two pieces of one text. Words repeated at the seam stand once. */
export function joined(before: string, after: string): string {
  const piece = isJsonPiece(before) ? after.replace(/^\s*```\w*\n/, "") : after;
  const most = Math.min(MAX_OVERLAP, before.length, piece.length);
  for (let length = most; length >= MIN_OVERLAP; length--)
    if (before.endsWith(piece.slice(0, length))) return before + piece.slice(length);
  return before + piece;
}

function isJsonPiece(text: string): boolean {
  return /^\s*(?:```\w*\s*)?[[{]/.test(text);
}
