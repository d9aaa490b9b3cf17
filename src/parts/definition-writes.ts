// Stores a sent definition as a version.
//
//   DVW1. A version may be replaced on condition: that a known version is current, or that the name is free.
//   DVW2. Storing the same text with the same meaning again makes no version.
//   DVW3. A source with literal keys is not stored as sent, and makes a version each time: its keys are encrypted
//         again.
import { preview, canonicalJson, type JsonValue } from "../base/json.ts";
import { digestText } from "../base/bytes.ts";
import { invalidInput } from "../base/invalid-input.ts";
import type { SentDefinition } from "./definition-body.ts";
import { shownDefinition } from "./definition-specs.ts";
import type { DefinitionEntry, StoredVersion } from "./definition-store.ts";
import { HttpError } from "./problem.ts";

/**
 * Returns the check of the headers `If-Match` and `If-None-Match` (DVW1). Throws `invalid_input` for anything but a
 * version.
 */
export function conditionOf(
  { headers }: Request,
  { kind, name }: { readonly kind: string; readonly name: string },
): ((version: number | undefined) => void) | undefined {
  const match = headers.get("if-match")?.trim();
  const noneMatch = headers.get("if-none-match")?.trim();
  const wanted = match === undefined || match === "*" ? match : versionIn(match);
  if (noneMatch !== undefined && noneMatch !== "*")
    throw unfit("if-none-match", `expected *, got ${preview(noneMatch)}`);
  if (wanted === undefined && noneMatch === undefined) return undefined;
  return (version) => {
    const isMatched =
      wanted === undefined || (wanted === "*" ? version !== undefined : version === wanted);
    if (isMatched && (noneMatch === undefined || version === undefined)) return;
    const present =
      version === undefined
        ? `there is no ${kind} "${name}"`
        : `${kind} "${name}" is at version ${version}`;
    const asked = isMatched
      ? "none was expected"
      : `${wanted === "*" ? "any" : `version ${wanted}`} was expected`;
    throw new HttpError("precondition_failed", `${present}, and ${asked}: read it again`, {
      ...(version === undefined ? undefined : { headers: { etag: etagOf(version) } }),
      facts: { version: version ?? null },
    });
  };
}

/** A version as headers have it. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Returns the fields of a version beside the stored definition. */
export async function versionFields(
  definition: JsonValue,
  { source, mediaType, value }: Pick<SentDefinition, "source" | "mediaType" | "value">,
): Promise<Pick<DefinitionEntry, "source" | "mediaType" | "hash" | "bytes">> {
  const bytes = new TextEncoder().encode(source).byteLength;
  const isOpen = hasKeys(definition) || hasKeys(value as JsonValue) || SECRET_FILE.test(source);
  if (isOpen) return { bytes };
  return { source, mediaType, bytes, hash: await hashOf(definition, { source, mediaType }) };
}

/** Returns the fields taken over from an old version by its restored copy. */
export async function restoredFields({
  definition,
  source,
  mediaType,
  bytes,
}: StoredVersion): Promise<Pick<DefinitionEntry, "source" | "mediaType" | "hash" | "bytes">> {
  if (hasKeys(definition)) return { bytes };
  const text = source ?? JSON.stringify(definition);
  const type = source === undefined ? "application/json" : (mediaType ?? "application/json");
  const hash = await hashOf(definition, { source: text, mediaType: type });
  return { source: text, mediaType: type, bytes, hash };
}

/** Hash of a version's meaning and source text. */
async function hashOf(
  definition: JsonValue,
  { source, mediaType }: { readonly source: string; readonly mediaType: string },
): Promise<string> {
  return digestText(JSON.stringify([canonicalJson(definition), mediaType, source]));
}

/** File with the keys of a project. */
const SECRET_FILE = /"(?:[^"]*\/)?\.env[^"]*"\s*:/;

function hasKeys(definition: JsonValue): boolean {
  return canonicalJson(shownDefinition(definition)) !== canonicalJson(definition);
}

function versionIn(header: string): number {
  const digits = /^"(\d{1,15})"$/.exec(header)?.[1];
  if (digits !== undefined) return Number(digits);
  throw unfit(
    "if-match",
    `expected a version in quotes, such as "3", or *, got ${preview(header)}`,
  );
}

function unfit(header: string, message: string): Error {
  return invalidInput("the request's headers do not fit", [{ path: `/${header}`, message }]);
}
