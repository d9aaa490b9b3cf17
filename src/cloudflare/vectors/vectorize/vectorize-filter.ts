// Filters for Vectorize, which indexes only the first 64 bytes of a text. Texts are therefore sent as hashes.
//
// A scope becomes a code of 8 letters for each of its parts. Each code represents the path down to its part, so the
// codes of a scope and of all scopes below it begin with the same letters. Eight parts fit one field, the next eight
// another. The rows in D1 correct collisions of codes.
import type { VectorFilter, VectorMetadata } from "../../../vectors/vector-store.ts";
import { digestText } from "../../../base/bytes.ts";
import type { VECTORIZE_METADATA_INDEXES } from "../../../wire/metadata-indexes.ts";

type FieldName = (typeof VECTORIZE_METADATA_INDEXES)[number];

export type VectorizeMetadata = Partial<Record<FieldName, string>>;

export type VectorizeFilter = Partial<
  Record<FieldName, Readonly<Record<string, string | readonly string[]>>>
>;

const CODE_LENGTH = 8;
const PARTS_PER_FIELD = 8;
/** Sorts after every letter of a code. */
const LAST = "~";
/** Owner of rows that are not private; shorter than any digest. */
const NOBODY = "-";

export async function toVectorizeMetadata(metadata: VectorMetadata): Promise<VectorizeMetadata> {
  const { scope, source, collection, document } = metadata;
  const [scope_a, scope_b] = await scopeCodes(scope);
  return {
    ...(scope_a ? { scope_a } : undefined),
    ...(scope_b ? { scope_b } : undefined),
    owner: metadata.private === true ? await ownerOf(source) : NOBODY,
    ...(source === undefined ? undefined : { source: await digestText(source) }),
    ...(collection === undefined ? undefined : { collection: await digestText(collection) }),
    ...(document === undefined ? undefined : { document: await digestText(document) }),
  };
}

/** Returns undefined for an empty filter, which Vectorize does not accept. */
export async function toVectorizeFilter(
  filter: VectorFilter,
): Promise<VectorizeFilter | undefined> {
  const { source, collection, document } = filter;
  const [first, second] = await scopeCodes(filter.scope);
  const owner = await ownerCondition(filter);
  const wanted = {
    ...(first ? { scope_a: beginsWith(first) } : undefined),
    ...(second ? { scope_b: beginsWith(second) } : undefined),
    ...(owner ? { owner } : undefined),
    ...(source === undefined ? undefined : { source: { $eq: await digestText(source) } }),
    ...(collection === undefined
      ? undefined
      : { collection: { $eq: await digestText(collection) } }),
    ...(document === undefined ? undefined : { document: { $eq: await digestText(document) } }),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

/** Returns the exact filter over `vector_rows`: a condition and its values. */
export function toSqlFilter(filter: VectorFilter): {
  readonly condition: string;
  readonly values: readonly string[];
} {
  const { scope, visibleTo } = filter;
  const parts: (readonly [string, ...string[]])[] = [];
  if (scope !== undefined && scope !== "/") {
    // Without LIKE: scopes may contain its wildcards, and its patterns are limited to 50 bytes.
    parts.push(["(scope = ? OR substr(scope, 1, length(?)) = ?)", scope, `${scope}/`, `${scope}/`]);
  }
  for (const field of ["source", "collection", "document"] as const) {
    const value = filter[field];
    if (value !== undefined) parts.push([`${field} = ?`, value]);
  }
  if (filter.private !== undefined) parts.push([`private = ${filter.private ? 1 : 0}`]);
  if (visibleTo === null) parts.push(["private = 0"]);
  else if (visibleTo !== undefined) parts.push(["(private = 0 OR source = ?)", visibleTo]);
  return {
    condition: parts.map(([condition]) => ` AND ${condition}`).join(""),
    values: parts.flatMap(([, ...values]) => values),
  };
}

async function scopeCodes(scope: string | undefined): Promise<readonly [string, string]> {
  if (scope === undefined || scope === "/") return ["", ""];
  const parts = scope.split("/").slice(1);
  const codes = await Promise.all(
    parts.map(async (_, index) => {
      const path = parts.slice(0, index + 1).join("/");
      return (await digestText(path)).slice(0, CODE_LENGTH);
    }),
  );
  return [codes.slice(0, PARTS_PER_FIELD).join(""), codes.slice(PARTS_PER_FIELD).join("")];
}

function beginsWith(code: string): Readonly<Record<string, string>> {
  const isFull = code.length === CODE_LENGTH * PARTS_PER_FIELD;
  return isFull ? { $eq: code } : { $gte: code, $lt: code + LAST };
}

async function ownerCondition({
  private: isPrivate,
  visibleTo,
}: VectorFilter): Promise<Readonly<Record<string, string | readonly string[]>> | undefined> {
  if (isPrivate === false) return { $eq: NOBODY };
  if (visibleTo === undefined) return isPrivate ? { $ne: NOBODY } : undefined;
  if (visibleTo === null) return { $eq: NOBODY };
  const owner = await ownerOf(visibleTo);
  return isPrivate ? { $eq: owner } : { $in: [NOBODY, owner] };
}

function ownerOf(source: string | undefined): Promise<string> {
  return digestText(source === undefined ? "" : `=${source}`);
}
