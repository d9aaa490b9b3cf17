import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ToolCall } from "../../llm/language-model.ts";

/** Place of a call's record, and the place beside it. Replay does not read again below a finished step. */
export type CallPlace = {
  readonly call: RunScope;
  readonly beside: RunScope;
  readonly label: string;
};

/** `tool:<name>#<n>`, n counting the calls of one tool within the turn. */
export function withPlaces(
  turn: RunScope,
  calls: readonly ToolCall[],
): Array<{ readonly call: ToolCall; readonly place: CallPlace }> {
  const names = calls.map(({ name }) => keySegment(name));
  return calls.map((call, index) => {
    const safeName = names[index] ?? "";
    let count = 0;
    for (let before = 0; before < index; before++) if (names[before] === safeName) count++;
    return { call, place: placeOf(turn, `${safeName}#${count}`) };
  });
}

export function placeOf(turn: RunScope, label: string): CallPlace {
  return { call: turn.at(`tool:${label}`), beside: turn, label };
}
