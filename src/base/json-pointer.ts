import type { JsonObject, JsonValue } from "./json.ts";

/** The JSON pointer (RFC 6901) to what a path of keys leads to. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${pointerPart(String(part))}`).join("");
}

/** A key as one part of a JSON pointer. */
export function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The keys of a JSON pointer: undoes `pointerOf`. */
export function partsOfPointer(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(keyOfPart);
}

/** The key that one part of a JSON pointer stands for: undoes `pointerPart`. */
export function keyOfPart(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** What a JSON pointer leads to; undefined where there is nothing. */
export function valueAtPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of partsOfPointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Whether a text is a JSON pointer. */
export function isPointer(text: string): boolean {
  return /^(\/([^/~]|~[01])*)*$/.test(text);
}
