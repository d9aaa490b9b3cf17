// Places of a pattern's matches, in time linear in the length of the text.
//
//   LSP1. A match is the leftmost one, and of several at one place the longest. Matches do not overlap and are never
//         empty.
//   LSP2. The search for all matches has a budget. Once it is used up, the rest of the text counts as one match: a
//         caller that hides matches then hides too much.

import { isEdge, type LinearProgram } from "./linear-program.ts";

/** A part of a text, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number };

const MAX_STEPS = 50_000_000;

/** All matches of a program in a text, in their order. */
export function linearSpans(
  program: LinearProgram,
  text: string,
  maxSteps: number = MAX_STEPS,
): readonly Span[] {
  const search = new Search(program, text, maxSteps);
  const spans: Span[] = [];
  for (let from = 0; from <= text.length;) {
    const span = search.first(from);
    if (span === undefined) return spans;
    if (span.end > span.start) spans.push(span);
    from = span.end > span.start ? span.end : span.end + 1;
  }
  return spans;
}

/** A thread of the search: its place in the program, and the beginning of its match. */
type Thread = { readonly index: number; readonly start: number };

class Search {
  readonly #program: LinearProgram;
  readonly #text: string;
  readonly #visited: Uint32Array;
  #generation = 0;
  #steps: number;

  constructor(program: LinearProgram, text: string, maxSteps: number) {
    this.#program = program;
    this.#text = text;
    this.#visited = new Uint32Array(program.steps.length);
    this.#steps = maxSteps;
  }

  /** Finds the leftmost match from a place on. Threads stay in the order of their beginnings. */
  first(from: number): Span | undefined {
    let match: Span | undefined;
    let threads: Thread[] = [];
    let before = from === 0 ? -1 : codePointBefore(this.#text, from);
    for (let at = from; ;) {
      const rune = this.#text.codePointAt(at) ?? -1;
      this.#generation++;
      const now: Thread[] = [];
      for (const thread of threads) this.#add(thread, [before, rune], now);
      if (match === undefined)
        this.#add({ index: this.#program.start, start: at }, [before, rune], now);
      for (const { index, start } of now)
        if (this.#program.steps[index]?.kind === "match" && isBetter(match, start))
          match = { start, end: at };
      const best = match;
      threads = now.flatMap(({ index, start }) => {
        if (rune < 0 || (best !== undefined && start > best.start)) return [];
        const step = this.#program.steps[index];
        return step?.kind === "one" && step.set(rune) ? [{ index: step.next, start }] : [];
      });
      if (this.#steps < 0) return { start: match?.start ?? from, end: this.#text.length };
      if (rune < 0 || (threads.length === 0 && match !== undefined)) return match;
      before = rune;
      at += rune > 0xffff ? 2 : 1;
    }
  }

  /** Follows steps without consuming a character. */
  #add({ index, start }: Thread, [before, after]: readonly [number, number], into: Thread[]): void {
    const stack = [index];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (this.#visited[next] === this.#generation) continue;
      this.#visited[next] = this.#generation;
      this.#steps--;
      const step = this.#program.steps[next];
      if (step?.kind === "split") stack.push(step.other, step.next);
      else if (step?.kind === "edge") {
        if (isEdge(step.edge, before, after)) stack.push(step.next);
      } else into.push({ index: next, start });
    }
  }
}

function isBetter(match: Span | undefined, start: number): boolean {
  return match === undefined || start <= match.start;
}

function codePointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff && at > 1;
  return isLow ? (text.codePointAt(at - 2) ?? unit) : unit;
}
