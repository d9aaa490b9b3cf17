// Full text of memory records in D1: the rows of `memory_words`, and the statements that write and search them.
//
// A change writes words in the same transaction as its records. Rows of earlier versions (`words < 1`) stay in
// `memory_text`, with stems of SQLite's own, until their words are made.
import type { MemoryRecord } from "../../memory/memory-record.ts";
import type { RecordFilter } from "../../memory/memory-records.ts";
import { FIELD_WEIGHTS, recordWords, SPEAKER_FACTOR } from "../../memory/record-words.ts";
import { fingerprint } from "../../base/hash.ts";
import { queryTerms, queryWords, TEXT_VERSION } from "../../text/index.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import { tenantWord, type Sql } from "./memory-conditions.ts";
import { COLUMNS, IS_OPEN, jsonLists, speakerColumn } from "./memory-rows.ts";

/** Maximum number of a question's words in a search. */
const MAX_QUERY_WORDS = 64;
/** Number of best rows to look up for each wanted one. Conditions and speakers decide among them. */
const POOL_FACTOR = 2;

/** True for rows of earlier versions. A migration makes the index of this condition for each `TEXT_VERSION`. */
export const OLD_WORDS = `m.words < ${TEXT_VERSION}`;

/** Returns tenants with rows of earlier versions, at most the number of one visit of the cron. */
export async function tenantsWithOldWords(db: BatchDatabase): Promise<readonly string[]> {
  const { results } = await onDatabase(() =>
    db.prepare(`SELECT DISTINCT m.tenant FROM memories m WHERE ${OLD_WORDS} LIMIT 20`).all(),
  );
  return (results as readonly { tenant: string }[]).map(({ tenant }) => tenant);
}

/** Row of `memory_words`. */
type WordsRow = {
  readonly id: string;
  readonly place: string;
  readonly own: string;
  readonly near: string;
  readonly about: string;
};

/** Returns the ids of neighbours whose text is not among the records themselves. */
export function absentNeighbours(records: readonly MemoryRecord[]): readonly string[] {
  const there = new Set(records.map(({ id }) => id));
  const ids = records.flatMap(({ neighbours = [] }) => neighbours);
  return [...new Set(ids)].filter((id) => !there.has(id));
}

/** Returns the statements for the words of records written by an open change. */
export function writeWords(
  tenant: string,
  op: string,
  by: { readonly records: readonly MemoryRecord[]; readonly around: readonly MemoryRecord[] },
): readonly Sql[] {
  return wordLists(tenant, by.records, by.around).map((json) => ({
    text: `INSERT OR REPLACE INTO memory_words (rowid, place, own, near, about)
      SELECT m.row, w.value ->> '$.place', w.value ->> '$.own', w.value ->> '$.near', w.value ->> '$.about'
      FROM json_each(?3) w CROSS JOIN memories m ON m.tenant = ?1 AND m.id = w.value ->> '$.id'
      WHERE +m.version = (SELECT seq FROM memory_state WHERE tenant = ?1) AND ${IS_OPEN}`,
    values: [tenant, op, json],
  }));
}

/**
 * Returns the statements that make the words of outdated rows. A record changed meanwhile, or deleted, keeps its state.
 */
export function renewWords(
  tenant: string,
  records: readonly MemoryRecord[],
  others: readonly MemoryRecord[],
): readonly Sql[] {
  const speakers = jsonLists(records, (record) => ({
    id: record.id,
    content: record.content,
    speakerTerms: speakerColumn(record),
  }));
  const isOld = `+memories.words < ${TEXT_VERSION} AND memories.content = r.value ->> '$.content'`;
  return [
    ...wordLists(tenant, records, others).map((json) => ({
      text: `INSERT OR REPLACE INTO memory_words (rowid, place, own, near, about)
        SELECT m.row, w.value ->> '$.place', w.value ->> '$.own', w.value ->> '$.near', w.value ->> '$.about'
        FROM json_each(?2) w CROSS JOIN memories m ON m.tenant = ?1 AND m.id = w.value ->> '$.id' AND +${OLD_WORDS}`,
      values: [tenant, json],
    })),
    ...speakers.map((json) => ({
      text: `UPDATE memories SET words = ${TEXT_VERSION}, speaker_terms = r.value ->> '$.speakerTerms'
        FROM json_each(?2) r WHERE memories.tenant = ?1 AND memories.id = r.value ->> '$.id' AND ${isOld}`,
      values: [tenant, json],
    })),
  ];
}

/** Marks the words of records that have a row meeting `where` as a neighbour (MR8). Such rows are read as `m`. */
export function forgetNeighbour(tenant: string, where: Sql, isOpen: Sql): Sql {
  return {
    text: `UPDATE memories SET words = -1 WHERE tenant = ? AND words > 0 AND row IN (
        SELECT n.row FROM memories m, json_each(m.neighbours) j, memories n
          WHERE ${where.text} AND n.tenant = m.tenant AND n.id = j.value
        UNION SELECT n.row FROM memories m JOIN memories n ON n.tenant = m.tenant AND n.conversation = m.conversation
          WHERE ${where.text} AND EXISTS (SELECT 1 FROM json_each(n.neighbours) j WHERE j.value = m.id)
      ) AND ${isOpen.text}`,
    values: [tenant, ...where.values, ...where.values, ...isOpen.values],
  };
}

/** Returns the search for rows of the present version, best first; undefined for a question without words. */
export function searchWords(
  tenant: string,
  query: string,
  by: { readonly limit: number; readonly filter: RecordFilter; readonly where: Sql },
): Sql | undefined {
  const { limit, filter, where } = by;
  const terms = queryTerms(query).slice(0, MAX_QUERY_WORDS);
  if (terms.length === 0) return undefined;
  const match = `${placeMatch(tenant, filter)} AND {own near about} : (${terms.map(quoted).join(" OR ")})`;
  const { own, near, about } = FIELD_WEIGHTS;
  const best = `SELECT rowid AS hit, bm25(memory_words, 0.0, ${own.toFixed(2)}, ${near.toFixed(2)}, ${about.toFixed(2)}) AS rank
    FROM memory_words WHERE memory_words MATCH ?`;
  // Conditions unknown to the words are checked on every row found.
  const isWhole = Object.entries(filter).every(
    ([name, value]) => value === undefined || name === "scope" || name === "visibleTo",
  );
  const isNamed =
    "EXISTS (SELECT 1 FROM json_each(?) n WHERE instr(m.speaker_terms, ' ' || n.value || ' ') > 0)";
  return {
    text: `SELECT ${COLUMNS}, -rank * CASE WHEN m.speaker_terms IS NULL THEN 1 WHEN ${isNamed} THEN ${SPEAKER_FACTOR} ELSE 1 END AS score
      FROM (${best}${isWhole ? " ORDER BY rank LIMIT ?" : ""}) CROSS JOIN memories m ON m.row = hit
      WHERE ${where.text} ORDER BY score DESC, m.id LIMIT ?`,
    values: [
      JSON.stringify(terms),
      match,
      ...(isWhole ? [POOL_FACTOR * limit] : []),
      ...where.values,
      limit,
    ],
  };
}

/** Returns the search for rows of earlier versions. */
export function searchOldText(
  tenant: string,
  query: string,
  { limit, where }: { readonly limit: number; readonly where: Sql },
): Sql | undefined {
  const words = queryWords(query).slice(0, MAX_QUERY_WORDS);
  if (words.length === 0) return undefined;
  const match = `tenant : "${tenantWord(tenant)}" AND content : (${words.map(quoted).join(" OR ")})`;
  return {
    text: `SELECT ${COLUMNS}, -bm25(memory_text, 0.0, 1.0) AS score FROM memory_text JOIN memories m ON m.row = memory_text.rowid
      WHERE memory_text MATCH ? AND m.words = 0 AND ${where.text} ORDER BY score DESC, m.id LIMIT ?`,
    values: [match, ...where.values, limit],
  };
}

function wordLists(
  tenant: string,
  records: readonly MemoryRecord[],
  others: readonly MemoryRecord[],
): readonly string[] {
  const texts = new Map([...others, ...records].map(({ id, content }) => [id, content]));
  return jsonLists(records, (record): WordsRow => {
    const around = (record.neighbours ?? []).flatMap((id) => texts.get(id) ?? []);
    const { own, near, about } = recordWords(record, around);
    return {
      id: record.id,
      place: placeWords(tenant, record).join(" "),
      own: own.join(" "),
      near: near.join(" "),
      about: about.join(" "),
    };
  });
}

/** Returns the words of the tenant with the owner, and of the scope with each scope above it. */
function placeWords(
  tenant: string,
  { scope, source, private: isPrivate }: MemoryRecord,
): readonly string[] {
  const names = scope.split("/").filter((name) => name !== "");
  const scopes = names.map((_, depth) => scopeWord(`/${names.slice(0, depth + 1).join("/")}`));
  return [isPrivate ? ownerWord(tenant, source ?? null) : tenantWord(tenant), ...scopes];
}

function placeMatch(tenant: string, { scope, visibleTo }: RecordFilter): string {
  const whole = tenantWord(tenant);
  const owners =
    visibleTo === undefined
      ? `("${whole}" *)`
      : `("${whole}" OR "${ownerWord(tenant, visibleTo)}")`;
  const within = scope === undefined || scope === "/" ? "" : ` AND "${scopeWord(scope)}"`;
  return `place : (${owners}${within})`;
}

function ownerWord(tenant: string, source: string | null): string {
  return `${tenantWord(tenant)}${source === null ? "none" : `s${fingerprint(source)}`}`;
}

function scopeWord(scope: string): string {
  return `s${fingerprint(scope)}`;
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', "")}"`;
}
