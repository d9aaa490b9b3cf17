// Definitions registered by name in the deployed code.
import { EngineError } from "../base/error.ts";
import { pageOf } from "../runtime/page.ts";
import type { Page } from "../runtime/run-directory.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";

type Registered<Value> = Readonly<Record<string, Value>>;

/** A page of registered definitions, by name. Throws `invalid_input` for an unknown cursor. */
export function pageOfRegistered<Value, View extends { readonly name: string }>(
  registered: Registered<Value>,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  view: (name: string, value: Value) => View,
): Page<View> {
  const after = keyOfCursor(cursor) ?? "";
  const names = Object.keys(registered)
    .filter((name) => name > after)
    .toSorted();
  return pageOf(names, limit, {
    item: (name) => view(name, findRegistered(registered, name, "entry")),
    cursor: cursorAfter,
  });
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
