// Records of a memory as rows of D1, and the statements for writing them.
import { isoTime } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MemoryRecord } from "../../memory/memory-record.ts";
import { canonical } from "../../memory/record-filter.ts";
import { speakerTerms } from "../../memory/record-words.ts";
import { TEXT_VERSION } from "../../text/index.ts";

export type MemoryRow = {
  id: string;
  scope: string;
  content: string;
  categories: string;
  metadata: string;
  importance: number;
  source: string | null;
  private: number;
  created_at: number;
  last_accessed: number;
  version: number;
  speaker: string | null;
  conversation: string | null;
  context: string | null;
  /** JSON. */
  neighbours: string | null;
};

export const COLUMNS =
  "m.id, m.scope, m.content, m.categories, m.metadata, m.importance, m.source, m.private, m.created_at, m.last_accessed, m.version, " +
  "m.speaker, m.conversation, m.context, m.neighbours";

/** Maximum length of the JSON in one statement, in characters; D1 allows texts of 2 MB. */
const MAX_JSON_LENGTH = 500_000;

/** True while the change named `?2` of tenant `?1` is open in this transaction. */
export const IS_OPEN =
  "EXISTS (SELECT 1 FROM memory_writes w WHERE w.tenant = ?1 AND w.op = ?2 AND w.state = 'open')";

/** Beginning of a text for lookups, with the same expression as in the migration's index. */
export const BEGINNING = (text: string): string => `substr(${text}, 1, 64)`;

export const INSERT_ROWS = `INSERT OR IGNORE INTO memories
  (tenant, id, scope, content, categories, metadata, importance, source, private, created_at, last_accessed, version,
  speaker, conversation, context, neighbours, speaker_terms, words)
  SELECT ?1, r.value ->> '$.id', r.value ->> '$.scope', r.value ->> '$.content', r.value ->> '$.categories', r.value ->> '$.metadata',
    r.value ->> '$.importance', r.value ->> '$.source', r.value ->> '$.private', r.value ->> '$.createdAt', r.value ->> '$.lastAccessed',
    (SELECT seq FROM memory_state WHERE tenant = ?1),
    r.value ->> '$.speaker', r.value ->> '$.conversation', r.value ->> '$.context', r.value ->> '$.neighbours', r.value ->> '$.speakerTerms', ${TEXT_VERSION}
  FROM json_each(?3) r WHERE ${IS_OPEN} AND NOT EXISTS (
    SELECT 1 FROM memories e WHERE e.tenant = ?1 AND ${BEGINNING("e.content")} = ${BEGINNING("r.value ->> '$.content'")}
      AND e.content = r.value ->> '$.content' AND e.scope = r.value ->> '$.scope'
      AND e.source IS (r.value ->> '$.source') AND e.private = r.value ->> '$.private'
      AND NOT (e.private = 1 AND e.source IS NULL))`;

export const UPDATE_ROWS = `UPDATE memories SET
    scope = r.value ->> '$.scope', content = r.value ->> '$.content', categories = r.value ->> '$.categories',
    metadata = r.value ->> '$.metadata', importance = r.value ->> '$.importance', source = r.value ->> '$.source',
    private = r.value ->> '$.private', last_accessed = r.value ->> '$.lastAccessed',
    version = (SELECT seq FROM memory_state WHERE tenant = ?1),
    speaker = r.value ->> '$.speaker', conversation = r.value ->> '$.conversation', context = r.value ->> '$.context',
    neighbours = r.value ->> '$.neighbours', speaker_terms = r.value ->> '$.speakerTerms', words = ${TEXT_VERSION},
    indexed = indexed AND content = r.value ->> '$.content' AND scope = r.value ->> '$.scope'
      AND source IS (r.value ->> '$.source') AND private = r.value ->> '$.private'
  FROM json_each(?3) r WHERE memories.tenant = ?1 AND memories.id = r.value ->> '$.id' AND ${IS_OPEN}`;

/** Returns the records as JSON lists for `json_each`, each short enough for a statement. */
export function inJson(records: readonly MemoryRecord[]): readonly string[] {
  return jsonLists(records, (record) => {
    const { createdAt, lastAccessed, categories, metadata, source } = record;
    return {
      ...record,
      categories: JSON.stringify(categories),
      metadata: canonical(metadata),
      source: source ?? null,
      private: record.private ? 1 : 0,
      speakerTerms: speakerColumn(record),
      neighbours: record.neighbours === undefined ? null : JSON.stringify(record.neighbours),
      createdAt: Date.parse(createdAt),
      lastAccessed: Date.parse(lastAccessed),
    };
  });
}

/** Returns the terms of the speaker's name between spaces, as in the migration's column. */
export function speakerColumn(record: MemoryRecord): string | null {
  const terms = speakerTerms(record);
  return terms.length === 0 ? null : ` ${terms.join(" ")} `;
}

/** Returns JSON lists of the items, each short enough for a statement. */
export function jsonLists<Item>(
  items: readonly Item[],
  toJson: (item: Item) => object,
): readonly string[] {
  const lists: string[][] = [];
  let length = MAX_JSON_LENGTH;
  for (const item of items) {
    const json = JSON.stringify(toJson(item));
    if (length + json.length > MAX_JSON_LENGTH) {
      lists.push([]);
      length = 0;
    }
    lists.at(-1)?.push(json);
    length += json.length;
  }
  return lists.map((list) => `[${list.join(",")}]`);
}

export function toRecord(row: MemoryRow): MemoryRecord {
  return {
    id: row.id,
    content: row.content,
    scope: row.scope,
    categories: JSON.parse(row.categories) as string[],
    metadata: JSON.parse(row.metadata) as JsonObject,
    importance: row.importance,
    createdAt: isoTime(row.created_at),
    lastAccessed: isoTime(row.last_accessed),
    ...(row.source === null ? undefined : { source: row.source }),
    private: row.private === 1,
    ...(row.speaker === null ? undefined : { speaker: row.speaker }),
    ...(row.conversation === null ? undefined : { conversation: row.conversation }),
    ...(row.context === null ? undefined : { context: row.context }),
    ...(row.neighbours === null
      ? undefined
      : { neighbours: JSON.parse(row.neighbours) as string[] }),
  };
}
