// Deploys: how the code of all runs changes while they are under way, as data.
import * as fc from "fast-check";
import type { FlowNode } from "./flow.ts";
import { nodesBelow, type ProgramNode } from "./program.ts";
import { digest } from "./action.ts";

export type Deploy = {
  readonly atMs: number;
  /** `nothing` changes only the version; `prompts` what every step is asked; `name` one name, and `back` takes that back. */
  readonly change: "nothing" | "prompts" | "name" | "back";
  /** Which of a program's steps, waits and timers gets another name: counted round and round. */
  readonly place: number;
};

/** What the code of a version says. */
export type Code = {
  /** How often what steps are asked was changed. */
  readonly prompts: number;
  /** The place whose name is another one; null for none. */
  readonly renamed: number | null;
};

export type Version = { readonly label: string; readonly code: Code };

export const FIRST_VERSION: Version = { label: "v0", code: { prompts: 0, renamed: null } };

export function codeAfter(code: Code, { change, place }: Deploy): Code {
  switch (change) {
    case "nothing":
      return code;
    case "prompts":
      return { ...code, prompts: code.prompts + 1 };
    case "name":
      return { ...code, renamed: place };
    default:
      return { ...code, renamed: null };
  }
}

/** What a step is asked by this code that the first one asks `input`. */
export function askedBy(prompts: number, input: string): string {
  return prompts === 0 ? input : digest(input, prompts);
}

/** The place in this program that is named anew; null for none. Two codes with the same place fit the same record. */
export function placeIn(program: ProgramNode, { renamed }: Code): number | null {
  const places = placesOf(program);
  return renamed === null || places === 0 ? null : renamed % places;
}

/** The program with another name at its `place`th step, wait or timer. What children run is their own matter. */
export function renamedAt(program: ProgramNode, place: number | null): ProgramNode {
  if (place === null) return program;
  let left = place;
  return mapped(program, (node) => (left-- === 0 ? { ...node, name: `${node.name} (new)` } : node));
}

/** The program with what `change` makes of each of its places. */
function mapped(program: ProgramNode, change: (node: ProgramNode) => ProgramNode): ProgramNode {
  const visit = (node: ProgramNode): ProgramNode => {
    if (isPlace(node)) return change(node);
    switch (node.type) {
      case "sequence":
      case "parallel":
      case "race":
      case "parts":
        return { ...node, body: node.body.map(visit) };
      case "try":
        return {
          ...node,
          body: visit(node.body),
          rescue: visit(node.rescue),
          last: node.last === null ? null : visit(node.last),
        };
      case "tool":
        return {
          ...node,
          body: visit(node.body),
          more: node.more === null ? null : visit(node.more),
        };
      case "loop":
      case "hold":
        return { ...node, body: visit(node.body) };
      case "flow":
        return {
          ...(change(node) as FlowNode),
          methods: node.methods.map((method) => ({
            ...method,
            body: method.body === null ? null : visit(method.body),
          })),
        };
      default:
        return node;
    }
  };
  return visit(program);
}

/**
 * A program as each of several codes has it. A part that is replayed whole once it has ended keeps the names that it had then: of
 * one output, parts may come from different codes.
 */
export class Variants {
  readonly #programs = new Map<number | null, ProgramNode>();
  readonly #wholes = new Map<ProgramNode, readonly ProgramNode[]>();

  constructor(program: ProgramNode, places: Iterable<number | null>) {
    for (const place of places) this.#programs.set(place, renamedAt(program, place));
    const all = [...this.#programs.values()];
    if (all.length > 1) this.#addWholes(all);
  }

  /** The program in the code that renames this place. */
  program(place: number | null): ProgramNode {
    const program = this.#programs.get(place);
    if (program === undefined) throw new Error(`no code renames place ${place}`);
    return program;
  }

  /** What a part that is replayed whole is in any of the codes, each variant once; `whole` is it in one of them. */
  of<T extends ProgramNode>(whole: T): readonly T[] {
    return (this.#wholes.get(whole) as readonly T[] | undefined) ?? [whole];
  }

  /** Goes through all programs at once: `same` is one node in each of them. */
  #addWholes(same: readonly ProgramNode[], isMethod = false): void {
    const [first] = same;
    if (first === undefined) return;
    if (isMethod || isWhole(first)) {
      const distinct = [...new Map(same.map((node) => [JSON.stringify(node), node])).values()];
      for (const node of same) this.#wholes.set(node, distinct);
    }
    const below = same.map(nodesBelow);
    for (const index of below[0]?.keys() ?? [])
      this.#addWholes(
        below.flatMap((nodes) => nodes[index] ?? []),
        first.type === "flow",
      );
  }
}

/** True for what is a step of its own and made of others; the body of a flow's method is one too. */
function isWhole({ type }: ProgramNode): boolean {
  return type === "tool" || type === "hold";
}

function placesOf(program: ProgramNode): number {
  let places = 0;
  const visit = (node: ProgramNode): void => {
    if (isPlace(node)) places++;
    else if ("body" in node && node.type !== "children") [node.body].flat().forEach(visit);
    if (node.type === "try") [node.rescue, node.last].forEach((each) => each && visit(each));
    if (node.type === "flow") places++;
    if (node.type === "flow") node.methods.forEach(({ body }) => body && visit(body));
    if (node.type === "tool" && node.more !== null) visit(node.more);
  };
  visit(program);
  return places;
}

function isPlace({ type }: ProgramNode): boolean {
  return type === "step" || type === "wait" || type === "timer" || type === "event";
}

export const deploys: fc.Arbitrary<readonly Deploy[]> = fc.array(
  fc.record({
    atMs: fc.oneof(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 0, max: 600_000 }),
    ),
    change: fc.constantFrom(
      "nothing" as const,
      "prompts" as const,
      "name" as const,
      "name" as const,
      "back" as const,
    ),
    place: fc.nat({ max: 11 }),
  }),
  { minLength: 1, maxLength: 3 },
);
