import type { JsonObject, JsonValue } from "./json.ts";

/** Returns the JSON pointer (RFC 6901) of a path of keys. */
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

/** Returns the key behind one segment of a JSON pointer: undoes `pointerPart`. */
export function keyOfPart(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the value at a JSON pointer; undefined if the path does not exist. */
export function valueAtPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of partsOfPointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** True if the text is a JSON pointer. */
export function isPointer(text: string): boolean {
  return /^(\/([^/~]|~[01])*)*$/.test(text);
}
