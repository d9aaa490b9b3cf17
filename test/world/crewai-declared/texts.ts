// Values whose texts differ although the values do not.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "../../../src/base/json.ts";

/** True when the values are equal but for how numbers, lists and constants are written inside of texts. */
export function isSameButTexts(one: JsonValue, other: JsonValue): boolean {
  return isDeepStrictEqual(unwritten(one), unwritten(other));
}

/** True when the values are equal but for truth values that became numbers. */
export function isSameButFlags(one: JsonValue, other: JsonValue): boolean {
  return isDeepStrictEqual(counted(one), counted(other));
}

/** True when the values are equal but for fractions that were cut off. */
export function isSameButFractions(one: JsonValue, other: JsonValue): boolean {
  return isDeepStrictEqual(whole(one), whole(other));
}

function whole(value: JsonValue): JsonValue {
  if (typeof value === "number") return Math.trunc(value);
  if (typeof value === "string") return value.replaceAll(/(\d)\.\d+/g, "$1");
  if (Array.isArray(value)) return value.map((item: JsonValue) => whole(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, whole(item)]));
}

function counted(value: JsonValue): JsonValue {
  if (typeof value === "boolean") return Number(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => counted(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, counted(item)]));
}

function unwritten(value: JsonValue): JsonValue {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => unwritten(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwritten(item)]));
}

/** `ListType([IntType(1), None])`, `[1, null]` and `[1,null]` are one. */
function plainText(text: string): string {
  return text
    .replaceAll(/\b\w+Type\(/g, "")
    .replaceAll(/[()\s"'\\]/g, "")
    .replaceAll("None", "null")
    .replaceAll("True", "true")
    .replaceAll("False", "false")
    .replaceAll(/(\d)\.0(?!\d)/g, "$1")
    .replaceAll(/e[+]?(-?)0*(\d)/g, "e$1$2");
}
