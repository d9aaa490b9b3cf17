// Differences between the requests of two sides for one program: facts, places, roles, tools, forms and sizes; never words.
import { factsOf, placesOf, speakersOf, textOf, type Place } from "./facts.ts";
import type { Program } from "./program.ts";
import type { ChatRequest } from "./recording-server.ts";

/** A request that is longer by this factor is listed. */
const LONGER = 1.5;

export type PromptDifference = {
  readonly program: Program;
  /** Number of the request, from 1. */
  readonly request: number;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly ourRequest: ChatRequest | undefined;
  readonly theirRequest: ChatRequest | undefined;
} & (
  | { readonly field: "requests" | "roles" | "tools" | "format" | "settings" | "size" }
  | {
      /** `missing`: upstream's model has the fact and ours has not. */
      readonly field: "missing" | "extra" | "place" | "speaker";
      /** The fact, or the text that a speaker said. */
      readonly fact: string;
    }
);

export function comparePrompts(
  program: Program,
  ours: readonly ChatRequest[],
  theirs: readonly ChatRequest[],
): readonly PromptDifference[] {
  const count = Math.max(ours.length, theirs.length);
  const pairs = Array.from({ length: count }, (_, index) => ({
    program,
    request: index + 1,
    ourRequest: ours[index],
    theirRequest: theirs[index],
  }));
  const found = pairs.flatMap((pair) => differencesOf(pair));
  if (ours.length === theirs.length) return found;
  return [
    {
      program,
      request: 0,
      ourRequest: undefined,
      theirRequest: undefined,
      field: "requests",
      ours: ours.length,
      theirs: theirs.length,
    },
    ...found,
  ];
}

type Pair = Pick<PromptDifference, "program" | "request" | "ourRequest" | "theirRequest">;

function differencesOf(pair: Pair): readonly PromptDifference[] {
  const { program, ourRequest: ours, theirRequest: theirs } = pair;
  if (ours === undefined || theirs === undefined) return [];
  const facts = factsOf(program);
  const [our, their] = [placesOf(facts, ours), placesOf(facts, theirs)];
  const inFacts = facts.flatMap(({ id }): readonly PromptDifference[] => {
    const [mine, other] = [our[id], their[id]];
    const both = { ...pair, fact: id, ours: mine ?? [], theirs: other ?? [] };
    if (mine === undefined && other !== undefined) return [{ ...both, field: "missing" }];
    if (mine !== undefined && other === undefined) return [{ ...both, field: "extra" }];
    return equal(sorted(mine), sorted(other)) ? [] : [{ ...both, field: "place" }];
  });
  return [
    ...inFacts,
    ...speakerDifferences(pair, ours, theirs),
    ...formDifferences(pair, ours, theirs),
  ];
}

function speakerDifferences(
  pair: Pair,
  ours: ChatRequest,
  theirs: ChatRequest,
): readonly PromptDifference[] {
  const [our, their] = [speakersOf(pair.program, ours), speakersOf(pair.program, theirs)];
  return Object.keys(their).flatMap((fact): readonly PromptDifference[] => {
    const [mine, other] = [our[fact], their[fact]];
    if (mine === undefined || mine === other) return [];
    return [{ ...pair, field: "speaker", fact, ours: mine, theirs: other }];
  });
}

function formDifferences(
  pair: Pair,
  ours: ChatRequest,
  theirs: ChatRequest,
): readonly PromptDifference[] {
  const compared = {
    roles: [rolesOf(ours), rolesOf(theirs)],
    tools: [toolNames(ours), toolNames(theirs)],
    format: [formatOf(ours), formatOf(theirs)],
    settings: [settingsOf(ours), settingsOf(theirs)],
  } as const;
  const found = Object.entries(compared)
    .filter(([, [mine, other]]) => !equal(mine, other))
    .map(
      ([field, [mine, other]]) =>
        ({ ...pair, field: field as keyof typeof compared, ours: mine, theirs: other }) as const,
    );
  const [mine, other] = [sizeOf(ours), sizeOf(theirs)];
  return mine > other * LONGER
    ? [...found, { ...pair, field: "size", ours: mine, theirs: other }]
    : found;
}

function rolesOf({ messages }: ChatRequest): readonly string[] {
  return messages.map(({ role }) => (role === "developer" ? "system" : role));
}

function toolNames({ tools = [] }: ChatRequest): readonly string[] {
  return tools.map((each) => each.function.name).toSorted();
}

function formatOf({ response_format: format }: ChatRequest): string {
  return format?.type ?? "none";
}

function settingsOf({ tool_choice, stop, tools = [] }: ChatRequest): object {
  return {
    toolChoice: tool_choice ?? null,
    stop: stop ?? null,
    strict: tools.some((each) => each.function.strict === true),
  };
}

/** Characters that the model reads: messages, tools and the form of the answer. */
export function sizeOf({ messages, tools, response_format: format }: ChatRequest): number {
  const texts = messages.map(
    (each) => textOf(each).length + JSON.stringify(each.tool_calls ?? "").length,
  );
  const more = [tools, format].map((each) =>
    each === undefined ? 0 : JSON.stringify(each).length,
  );
  return [...texts, ...more].reduce((sum, size) => sum + size, 0);
}

function sorted(places: readonly Place[] | undefined): readonly Place[] {
  return (places ?? []).toSorted();
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function describePrompt(difference: PromptDifference): string {
  const { request, field, ours, theirs } = difference;
  const fact = "fact" in difference ? ` ${difference.fact}` : "";
  return `request ${request} ${field}${fact}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`;
}
