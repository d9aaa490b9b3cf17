// Where a turn leads, as a journal can hold it.
//
//   RCT1. A target with an agent, a function or a conversation in it is recorded by its place among the hand-overs of the group.
//   RCT2. A tool may return such a target only if a hand-over of the group has the very same one: nothing else finds it again.
import { EngineError } from "../../base/error.ts";
import type { Handoffs } from "../handoffs.ts";
import { targetLabel, type TransitionTarget } from "../targets.ts";

/** A target as data, or the place of one: `<member>/<list>/<index>`. */
export type RecordedTarget = { readonly target: TransitionTarget } | { readonly place: string };

/** The hand-overs of a group's members, by name. */
export type HandoffsByName = ReadonlyMap<string, Handoffs>;

/** The targets of a group that JSON cannot hold. */
export class TargetPlaces {
  readonly #places = new Map<TransitionTarget, string>();
  readonly #targets = new Map<string, TransitionTarget>();

  /** The places are those of the hand-overs of each member, and those that are added. */
  constructor(handoffs: HandoffsByName) {
    for (const [name, { contextConditions, llmConditions, afterWorks }] of handoffs)
      for (const [list, conditions] of Object.entries({
        contextConditions,
        llmConditions,
        afterWorks,
      }))
        for (const [index, { target }] of conditions.entries())
          this.add(`${name}/${list}/${index}`, target);
  }

  add(place: string, target: TransitionTarget): void {
    if (isData(target)) return;
    this.#places.set(target, place);
    this.#targets.set(place, target);
  }

  /** Throws `invalid_input` for a target that could not be found again. */
  record(target: TransitionTarget): RecordedTarget {
    if (isData(target)) return { target };
    const place = this.#places.get(target);
    if (place !== undefined) return { place };
    throw new EngineError(
      "invalid_input",
      `a target of the kind ${targetLabel(target)} cannot be kept as data: give the agent a hand-over with it, and return that hand-over's target`,
    );
  }

  /** Throws `journal_mismatch` for a place that the present code does not have. */
  target(recorded: RecordedTarget): TransitionTarget {
    if ("target" in recorded) return recorded.target;
    const target = this.#targets.get(recorded.place);
    if (target !== undefined) return target;
    throw new EngineError(
      "journal_mismatch",
      `the conversation is about to follow the hand-over ${recorded.place}, which the code does not have any more`,
    );
  }
}

function isData({ kind }: TransitionTarget): boolean {
  return kind !== "nestedChat" && kind !== "groupChat" && kind !== "function";
}
