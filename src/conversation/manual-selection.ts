// Selection of the next speaker by a person.
//
//   MSL1. A number of the list or a candidate's name chooses. An empty answer or "q" leaves the choice to the order of
//         members.
//   MSL2. After two other answers the order of members decides too.
import { nextInOrder } from "./speaker-candidates.ts";

/** A pending choice of a person. */
export type ManualSelection = {
  readonly candidates: readonly string[];
  /** All members in order. */
  readonly order: readonly string[];
  readonly lastSpeaker: string | undefined;
  /** Number of unusable answers. */
  readonly attempts: number;
};

/** Result of a person's answer. */
export type ManualStep =
  | { readonly kind: "chosen"; readonly name: string; readonly isFallback: boolean }
  | { readonly kind: "ask"; readonly selection: ManualSelection; readonly prompt: string };

const MAX_ATTEMPTS = 2;

/** Returns the prompt for the person. */
export function manualPrompt({ candidates, attempts }: ManualSelection): string {
  const list = candidates.map((name, index) => `${index + 1}: ${name}`).join("\n");
  const again = attempts === 0 ? "" : "That is no number of the list.\n";
  return `${again}Who should speak next?\n${list}\nAnswer with a number, or with nothing to let the order decide.`;
}

/** Reads an answer of the person. */
export function readManualAnswer(selection: ManualSelection, answer: string): ManualStep {
  const { candidates, order, lastSpeaker } = selection;
  const text = answer.trim();
  const chosen = /^\d{1,9}$/.test(text)
    ? candidates[Number(text) - 1]
    : candidates.find((name) => name === text);
  if (chosen !== undefined) return { kind: "chosen", name: chosen, isFallback: false };
  const next = { ...selection, attempts: selection.attempts + 1 };
  if (text === "" || text === "q" || next.attempts >= MAX_ATTEMPTS)
    return { kind: "chosen", name: nextInOrder(order, lastSpeaker, candidates), isFallback: true };
  return { kind: "ask", selection: next, prompt: manualPrompt(next) };
}
