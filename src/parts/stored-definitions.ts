// Stored definitions, in addition to those of the deployed code: crews and flows.
import { EngineError } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isJsonObject, preview } from "../base/json.ts";
import type { DefinitionKind, DefinitionStore, StoredDefinition } from "./definition-store.ts";
import type { Page } from "../runtime/run-directory.ts";
import { cursorAfter } from "./cursor.ts";
import { NAME_PATTERN } from "./schemas.ts";
import type { PartHost } from "./part.ts";

type Listing<View> = {
  readonly kind: DefinitionKind;
  readonly tenant: string;
  /** The names in the code. */
  readonly registered: readonly string[];
  readonly ofCode: (name: string) => View;
  readonly ofStored: (row: StoredDefinition) => View;
  readonly page: { readonly after: string | undefined; readonly limit: number };
};

/** Registered definitions by name, then stored ones. A stored one with a registered name is left out. */
export async function listBoth<View extends { readonly name: string }>(
  { definitions }: Pick<PartHost, "definitions">,
  { kind, tenant, registered, ofCode, ofStored, page }: Listing<View>,
): Promise<Page<View>> {
  const { after = "code:", limit } = page;
  const items: View[] = [];
  if (after.startsWith("code:")) {
    const names = registered.filter((name) => name > after.slice("code:".length)).toSorted();
    items.push(...names.slice(0, limit).map(ofCode));
    if (names.length > limit)
      return { items, nextCursor: cursorAfter(`code:${items.at(-1)?.name ?? ""}`) };
  }
  const afterName = after.startsWith("stored:") ? after.slice("stored:".length) : undefined;
  const left = limit - items.length;
  const rows = await definitions.list(tenant, kind, { afterName, limit: left + 1 });
  const taken = new Set(registered);
  items.push(
    ...rows
      .slice(0, left)
      .filter(({ name }) => !taken.has(name))
      .map(ofStored),
  );
  if (rows.length <= left) return { items };
  return { items, nextCursor: cursorAfter(`stored:${rows[left - 1]?.name ?? afterName ?? ""}`) };
}

/** Throws `conflict` for a registered name. */
export function refuseRegistered(
  registered: Readonly<Record<string, unknown>>,
  kind: DefinitionKind,
  name: string,
): void {
  if (!Object.hasOwn(registered, name)) return;
  throw new EngineError(
    "conflict",
    `${kind} "${name}" is part of the deployed code: change it there, or use another name`,
  );
}

/** Throws `invalid_input` for an invalid name. */
export function checkName(kind: DefinitionKind, name: string): void {
  if (NAME_PATTERN.test(name)) return;
  throw new EngineError(
    "invalid_input",
    `a ${kind}'s name may have up to 128 letters and digits with " ", "_", "." and "-" between, got ${preview(name)}`,
  );
}

/** Throws `payload_too_large`. With aliases, a definition can be larger than its YAML text. */
export function refuseGrown(
  definition: unknown,
  { maxBodyBytes }: Pick<PartHost, "maxBodyBytes">,
): void {
  const bytes = new TextEncoder().encode(JSON.stringify(definition)).byteLength;
  if (bytes <= maxBodyBytes) return;
  throw new EngineError(
    "payload_too_large",
    `the definition may have at most ${maxBodyBytes} bytes as JSON, got ${bytes}`,
  );
}

/** A definition under the name of its path. Throws `invalid_input` if it has another. */
export function namedAs(expected: string, definition: unknown): unknown {
  if (!isJsonObject(definition)) return definition;
  const name = definition["name"] ?? expected;
  if (name === expected) return { ...definition, name };
  throw invalidInput("the definition does not fit its path", [
    { path: "/name", message: `expected ${preview(expected)} or nothing, got ${preview(name)}` },
  ]);
}

export function notStored(kind: DefinitionKind, name: string): EngineError {
  return new EngineError("not_found", `there is no ${kind} "${name}"`);
}

/** Returns the current version of a name, or the requested one. Throws `not_found` for a version no longer stored. */
export async function storedVersion(
  definitions: Pick<DefinitionStore, "get"> & Partial<Pick<DefinitionStore, "version">>,
  { tenant, kind, name }: { tenant: string; kind: DefinitionKind; name: string },
  version: number | undefined,
): Promise<StoredDefinition | undefined> {
  const present = await definitions.get(tenant, kind, name);
  if (present === undefined || version === undefined || version === present.version) return present;
  const found = await definitions.version?.(tenant, kind, { name, version });
  if (found === undefined) throw noVersion(kind, name, version);
  return { ...present, definition: found.definition, version };
}

export function noVersion(kind: DefinitionKind, name: string, version: number): EngineError {
  return new EngineError("not_found", `${kind} "${name}" has no version ${version}`);
}

/** Throws `invalid_input` for a version of a definition of the deployed code. */
export function refuseVersion(
  kind: DefinitionKind,
  name: string,
  version: number | undefined,
): void {
  if (version === undefined) return;
  throw invalidInput("the request body does not fit", [
    {
      path: "/version",
      message: `expected nothing, because ${kind} "${name}" is part of the deployed code, got ${version}`,
    },
  ]);
}
