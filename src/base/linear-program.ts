// The program of a pattern, and its search for a match in a text. All possible places in the program are followed at
// once, each at most once per character: the time is at most the length of the text times the size of the program.
import type { CharacterSet } from "./linear-characters.ts";
import type { Edge, Expression } from "./linear-syntax.ts";

/** A step takes one character, or leads on without one. */
export type ProgramStep =
  | {
      readonly kind: "one";
      readonly set: CharacterSet;
      /** 1, or more for a set made of several. */
      readonly cost: number;
      readonly next: number;
    }
  | { readonly kind: "edge"; readonly edge: Edge; readonly next: number }
  | { readonly kind: "split"; readonly next: number; readonly other: number }
  | { readonly kind: "match" };

export type LinearProgram = {
  readonly start: number;
  readonly steps: readonly ProgramStep[];
  /** Flags for each ASCII character: true if a match may begin with it. Undefined if that depends on more. */
  readonly begins?: readonly boolean[];
};

const MATCH = 0;

type Repetition = Extract<Expression, { kind: "repeat" }>;

export function programOf(expression: Expression): LinearProgram {
  const steps: ProgramStep[] = [{ kind: "match" }];
  const add = (step: ProgramStep): number => steps.push(step) - 1;
  /** Adds an expression followed by `next`, and returns its first step. */
  const compile = (each: Expression, next: number): number => {
    if (each.kind === "one") return add({ kind: "one", set: each.set, cost: each.size, next });
    if (each.kind === "edge") return add({ kind: "edge", edge: each.edge, next });
    if (each.kind === "repeat") return repeat(each, next);
    if (each.kind === "sequence")
      return each.items.reduceRight((after, item) => compile(item, after), next);
    const [last = next, ...others] = each.items.map((item) => compile(item, next));
    return others.reduce((other, first) => add({ kind: "split", next: first, other }), last);
  };
  const repeat = ({ item, least, most }: Repetition, next: number): number => {
    let begin = next;
    let copies = least;
    if (most === Infinity) {
      const again = { kind: "split", next: MATCH, other: next } as const;
      const at = add(again);
      const first = compile(item, at);
      steps[at] = { ...again, next: first };
      begin = least === 0 ? at : first;
      copies = Math.max(0, least - 1);
    } else
      for (let count = least; count < most; count++)
        begin = add({ kind: "split", next: compile(item, begin), other: next });
    for (let count = 0; count < copies; count++) begin = compile(item, begin);
    return begin;
  };
  const start = compile(expression, MATCH);
  const first = firstSets(steps, start);
  if (first === undefined) return { start, steps };
  const begins = Array.from({ length: 128 }, (_, point) => first.some((set) => set(point)));
  return { start, steps, begins };
}

function firstSets(steps: readonly ProgramStep[], start: number): CharacterSet[] | undefined {
  const found: CharacterSet[] = [];
  const seen = new Set([start]);
  for (const index of seen) {
    const step = steps[index];
    if (step?.kind === "one") found.push(step.set);
    else if (step?.kind === "split") seen.add(step.next).add(step.other);
    else return undefined;
  }
  return found;
}

/** Searches a text for a match. Calls `spend` with the number of steps followed; `spend` may throw. */
export function hasMatch(
  { start, steps, begins }: LinearProgram,
  text: string,
  spend?: (followed: number) => void,
): boolean {
  const seenAt = new Int32Array(steps.length).fill(-1);
  const beginning = steps[start];
  const onlyAtStart = beginning?.kind === "edge" && beginning.edge === "start";
  let waiting = [start];
  let before = -1;
  for (let at = 0; ;) {
    if (begins !== undefined && waiting.length === 1 && waiting[0] === start) {
      const from = at;
      while (begins[text.charCodeAt(at)] === false) at++;
      if (at > from) before = text.charCodeAt(at - 1);
      spend?.(at - from);
    }
    const after = text.codePointAt(at) ?? -1;
    const open: Array<Extract<ProgramStep, { kind: "one" }>> = [];
    let followed = 0;
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seenAt[index] === at) continue;
      seenAt[index] = at;
      const step = steps[index];
      followed += step?.kind === "one" ? step.cost : 1;
      if (step === undefined || step.kind === "match") {
        spend?.(followed);
        return true;
      }
      if (step.kind === "one") open.push(step);
      else if (step.kind === "split") waiting.push(step.other, step.next);
      else if (isEdge(step.edge, before, after)) waiting.push(step.next);
    }
    spend?.(followed);
    if (after < 0 || (onlyAtStart && open.length === 0)) return false;
    waiting = [];
    for (const { set, next } of open) if (set(after)) waiting.push(next);
    if (!onlyAtStart) waiting.push(start);
    before = after;
    at += after > 0xffff ? 2 : 1;
  }
}

const EDGES: Readonly<Record<Edge, (before: number, after: number) => boolean>> = {
  start: (before) => before < 0,
  end: (_, after) => after < 0,
  "line-start": (before) => before < 0 || isLineEnd(before),
  "line-end": (_, after) => after < 0 || isLineEnd(after),
  "after-newline": (before) => before < 0 || before === 10,
  "before-newline": (_, after) => after < 0 || after === 10,
  word: (before, after) => isWord(before) !== isWord(after),
  "no-word": (before, after) => isWord(before) === isWord(after),
};

/** True if the edge lies between two characters; -1 is the end of the text. */
export function isEdge(edge: Edge, before: number, after: number): boolean {
  return EDGES[edge](before, after);
}

function isLineEnd(point: number): boolean {
  return point === 10 || point === 13 || point === 0x2028 || point === 0x2029;
}

function isWord(point: number): boolean {
  return (
    (point >= 97 && point <= 122) ||
    (point >= 65 && point <= 90) ||
    (point >= 48 && point <= 57) ||
    point === 95
  );
}
