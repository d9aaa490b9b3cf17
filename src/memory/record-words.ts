// Words of a record for full text, in four fields of unequal weight.
//
//   RWD1. The own field has the terms of the record's text; `near` those of its neighbours in the conversation or batch
//        and of its context; `about` its speaker, date, source and scope. D1 and this process rank by the same fields,
//        weights and formula.
//   RWD2. A record keeps the ids of its neighbours and not their text. So a deleted text disappears from the index of its
//        neighbours, too.
import { foldText } from "../text/fold.ts";
import { termsOf } from "../text/index.ts";
import type { MemoryRecord } from "./memory-record.ts";

export type RecordWords = {
  readonly own: readonly string[];
  readonly near: readonly string[];
  readonly about: readonly string[];
};

/** Weights of the fields, chosen on conversations of LoCoMo (docs/design/memory.md). */
export const FIELD_WEIGHTS = { own: 1, near: 0.4, about: 0.8 } as const;

/** Factor for the score of records whose speaker is named in the question. */
export const SPEAKER_FACTOR = 1.5;

/** Positions of neighbours in a conversation or batch. */
export const NEIGHBOURS = { before: 2, after: 2 } as const;

/** Maximum length of a neighbour's text in the index, in characters. */
const MAX_NEIGHBOUR_LENGTH = 600;

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone: "UTC" });

/** Returns the words of a record. `neighbours` are the texts of its neighbours. */
export function recordWords(record: MemoryRecord, neighbours: readonly string[]): RecordWords {
  const { content, context = "", speaker = "", source = "", scope, createdAt } = record;
  const near = neighbours.map((text) => text.slice(0, MAX_NEIGHBOUR_LENGTH));
  return {
    own: termsOf(content),
    near: [...near, context].flatMap(termsOf),
    about: [speaker, dateWords(createdAt), source, scope.replaceAll("/", " ")].flatMap(termsOf),
  };
}

/** Returns the terms of a speaker's name; a question with one of them names the speaker. */
export function speakerTerms({ speaker }: { readonly speaker?: string }): readonly string[] {
  return speaker === undefined ? [] : termsOf(speaker);
}

/** Returns the ids of the texts around a place, nearest last. `before` are the ids ahead of the first text. */
export function neighboursAt(
  ids: readonly string[],
  place: number,
  before: readonly string[] = [],
): readonly string[] {
  const all = [...before, ...ids];
  const at = before.length + place;
  const own = ids[place];
  const around = [
    ...all.slice(Math.max(0, at - NEIGHBOURS.before), at),
    ...all.slice(at + 1, at + 1 + NEIGHBOURS.after),
  ];
  return [...new Set(around)].filter((id) => id !== own);
}

function dateWords(createdAt: string): string {
  const at = Date.parse(createdAt);
  return Number.isNaN(at) ? "" : foldText(DATE.format(at));
}
