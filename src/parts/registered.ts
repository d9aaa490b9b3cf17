// What the deployed code has registered by name.
import { EngineError } from "../base/error.ts";
import type { Page } from "../runtime/run-directory.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";

type Registered<Value> = Readonly<Record<string, Value>>;

/** A page of them, by name. Throws `invalid_input` for a cursor that we did not make. */
export function pageOfRegistered<Value, View extends { readonly name: string }>(
  registered: Registered<Value>,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  view: (name: string, value: Value) => View,
): Page<View> {
  const after = keyOfCursor(cursor) ?? "";
  const names = Object.keys(registered)
    .filter((name) => name > after)
    .toSorted();
  const items = names
    .slice(0, limit)
    .map((name) => view(name, findRegistered(registered, name, "entry")));
  return names.length > limit
    ? { items, nextCursor: cursorAfter(items.at(-1)?.name ?? "") }
    : { items };
}

/** Throws `not_found`. */
export function findRegistered<Value>(
  registered: Registered<Value>,
  name: string,
  kind: string,
): Value {
  const found = Object.hasOwn(registered, name) ? registered[name] : undefined;
  if (found === undefined) throw new EngineError("not_found", `there is no ${kind} "${name}"`);
  return found;
}
