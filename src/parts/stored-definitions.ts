// What is stored by name beside what the deployed code has: crews and flows.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { DefinitionKind, StoredDefinition } from "./definition-store.ts";
import type { Page } from "../runtime/run-directory.ts";
import { cursorAfter } from "./cursor.ts";
import { NAME_PATTERN } from "./schemas.ts";
import type { PartHost } from "./part.ts";

type Listing<View> = {
  readonly kind: DefinitionKind;
  readonly tenant: string;
  /** The names that the code has. */
  readonly registered: readonly string[];
  readonly ofCode: (name: string) => View;
  readonly ofStored: (row: StoredDefinition) => View;
  readonly page: { readonly after: string | undefined; readonly limit: number };
};

/** Registered ones by name, then stored ones. A stored one whose name the code has taken is hidden. */
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

/** Throws `conflict` for a name of the code's. */
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

/** Throws `invalid_input` for a name that nothing can be stored under. */
export function checkName(kind: DefinitionKind, name: string): void {
  if (NAME_PATTERN.test(name)) return;
  throw new EngineError(
    "invalid_input",
    `a ${kind}'s name may have up to 128 letters and digits with " ", "_", "." and "-" between, got ${preview(name)}`,
  );
}

/** YAML aliases can make a definition larger than the text that it came as. */
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
