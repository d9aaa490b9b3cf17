// Input checks of every store, with the same messages (V5, V6).
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import {
  VECTOR_LIMITS,
  type VectorCollection,
  type VectorFilter,
  type VectorQuery,
  type VectorRow,
  type VectorStoreInfo,
} from "./vector-store.ts";

export function checkCollection({ tenant, collection, model }: VectorCollection): void {
  for (const [name, value] of Object.entries({ tenant, collection, model })) {
    if (typeof value === "string" && value !== "" && value.length <= VECTOR_LIMITS.maxFieldLength)
      continue;
    throw invalid(`${name} of a vector collection`, `a text of ${upTo("maxFieldLength")}`, value);
  }
}

/** Returns the dimension of the rows; undefined without rows. */
export function checkRows(rows: readonly VectorRow[]): number | undefined {
  checkCount("rows", rows.length);
  const dimension = rows[0]?.vector.length;
  for (const [index, { id, vector, metadata }] of rows.entries()) {
    checkId(id, `rows[${index}].id`);
    checkVector(vector, `rows[${index}].vector`);
    if (vector.length !== dimension) {
      throw new EngineError(
        "invalid_input",
        `rows[${index}].vector has ${vector.length} dimensions, and rows[0].vector has ${dimension}: all vectors of a collection need the same number`,
      );
    }
    if (metadata !== undefined) checkFields(metadata, `rows[${index}].metadata`);
  }
  return dimension;
}

export function checkIds(ids: readonly string[]): void {
  checkCount("ids", ids.length);
  for (const [index, id] of ids.entries()) checkId(id, `ids[${index}]`);
}

export function checkQuery(vector: Float32Array, { limit, minScore, filter }: VectorQuery): void {
  checkVector(vector, "vector");
  if (!Number.isInteger(limit) || limit < 1 || limit > VECTOR_LIMITS.maxLimit) {
    throw invalid("limit", `an integer from 1 to ${VECTOR_LIMITS.maxLimit}`, limit);
  }
  if (minScore !== undefined && !(minScore >= 0 && minScore <= 1)) {
    throw invalid("minScore", "a number from 0 to 1", minScore);
  }
  if (filter === undefined) return;
  checkFields(filter, "filter");
  if (typeof filter.visibleTo === "string") checkField("filter.visibleTo", filter.visibleTo);
}

/** Fails with `embedding_mismatch` if the vectors differ from the collection in model or dimension. */
export function checkFits(
  made: VectorStoreInfo,
  incoming: VectorStoreInfo,
  { collection }: { readonly collection: string },
): void {
  if (made.model === incoming.model && made.dimension === incoming.dimension) return;
  throw new EngineError(
    "embedding_mismatch",
    `the vectors of "${collection}" were made with ${said(made)}, but these were made with ${said(incoming)}: use the embedder that made ` +
      `them, or clear the collection and embed its texts again`,
  );
}

/** True if a collection has vectors of this model and dimension. */
export function isMadeWith(
  made: VectorStoreInfo | undefined,
  other: VectorStoreInfo | undefined,
): boolean {
  return made !== undefined && made.model === other?.model && made.dimension === other.dimension;
}

/** Scales the vector to length 1. */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const factor = 1 / Math.sqrt(squares);
  return vector.map((value) => value * factor);
}

function said({ model, dimension }: VectorStoreInfo): string {
  return `${model} (${dimension} dimensions)`;
}

function checkVector(vector: unknown, name: string): void {
  if (!(vector instanceof Float32Array)) throw invalid(name, "a Float32Array", vector);
  const { maxDimension } = VECTOR_LIMITS;
  if (vector.length === 0 || vector.length > maxDimension) {
    throw new EngineError(
      "invalid_input",
      `${name} must have 1 to ${maxDimension} dimensions, got ${vector.length}` +
        (vector.length > maxDimension
          ? `: many models make shorter vectors when their embedder has the setting "dimensions"`
          : ""),
    );
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0 && squares < Infinity) return;
  throw invalid(name, "finite numbers that are not all 0", squares === 0 ? "only 0" : "others");
}

function checkFields(fields: Omit<VectorFilter, "visibleTo">, name: string): void {
  if (fields.scope !== undefined) checkScope(fields.scope, `${name}.scope`);
  for (const field of ["source", "collection", "document"] as const) {
    const value = fields[field];
    if (value !== undefined) checkField(`${name}.${field}`, value);
  }
  if (fields.private !== undefined && typeof fields.private !== "boolean") {
    throw invalid(`${name}.private`, "true or false", fields.private);
  }
}

function checkScope(scope: unknown, name: string): void {
  const { maxScopeDepth, maxScopeLength } = VECTOR_LIMITS;
  if (typeof scope !== "string" || !/^\/$|^(\/[^/]+)+$/.test(scope)) {
    throw invalid(name, `a path such as "/" or "/crew/briefing"`, scope);
  }
  const depth = scope.split("/").length - 1;
  if (scope.length > maxScopeLength || depth > maxScopeDepth) {
    throw invalid(name, `a path of ${upTo("maxScopeLength")} and ${maxScopeDepth} parts`, scope);
  }
}

function checkField(name: string, value: unknown): void {
  if (typeof value === "string" && value.length <= VECTOR_LIMITS.maxFieldLength) return;
  throw invalid(name, `a text of ${upTo("maxFieldLength")}`, value);
}

function checkId(id: unknown, name: string): void {
  const { maxIdBytes } = VECTOR_LIMITS;
  const fits =
    typeof id === "string" &&
    id !== "" &&
    id.length <= maxIdBytes &&
    new TextEncoder().encode(id).length <= maxIdBytes;
  if (!fits) throw invalid(name, `a text of 1 to ${maxIdBytes} bytes`, id);
}

function checkCount(name: string, count: number): void {
  if (count <= VECTOR_LIMITS.maxRows) return;
  throw new EngineError(
    "limit_exceeded",
    `${name} must be at most ${VECTOR_LIMITS.maxRows} in one call, got ${count}`,
  );
}

function upTo(limit: "maxFieldLength" | "maxScopeLength"): string {
  return `at most ${VECTOR_LIMITS[limit]} characters`;
}

function invalid(name: string, expected: string, got: unknown): EngineError {
  return new EngineError("invalid_input", `${name} must be ${expected}, got ${preview(got)}`);
}
