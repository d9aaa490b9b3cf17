import { findMark, hasMark, latin, numberAt } from "./byte-reading.ts";
import { typeOfName } from "./extensions.ts";

const ENTRY = "PK\u0003\u0004";
const HEADER = 30;
/** Search range for entries. */
const ZIP_WINDOW = 64 * 1024;
const MAX_ENTRIES = 1000;
/** Formats that name their own type in an entry. */
const SELF_NAMED =
  /^application\/(?:epub\+zip|vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))$/;

/** Returns the media type of a ZIP by the entries in its first 64 KiB: office documents, EPUB, or a plain ZIP. */
export function zipType(bytes: Uint8Array): string {
  const window = bytes.subarray(0, ZIP_WINDOW);
  let at: number | undefined = 0;
  for (let count = 0; at !== undefined && count < MAX_ENTRIES; count++) {
    const name = nameAt(window, at);
    if (name === undefined) break;
    if (count === 0 && name === "mimetype") {
      const type = contentAt(window, at).trim();
      if (SELF_NAMED.test(type)) return type;
    }
    const [folder] = name.split("/");
    const office = { word: "a.docx", xl: "a.xlsx", ppt: "a.pptx" }[folder ?? ""];
    if (office !== undefined && name.includes("/")) return typeOfName(office) ?? "application/zip";
    at = nextEntry(window, at);
  }
  return "application/zip";
}

function nameAt(bytes: Uint8Array, at: number): string | undefined {
  const length = numberAt(bytes, at + 26, { length: 2, order: "little" });
  return length === undefined || !hasMark(bytes, ENTRY, at)
    ? undefined
    : latin(bytes, at + HEADER, Math.min(length, 512));
}

function contentAt(bytes: Uint8Array, at: number): string {
  return latin(bytes, contentStart(bytes, at), Math.min(sizeAt(bytes, at), 128));
}

function contentStart(bytes: Uint8Array, at: number): number {
  const name = numberAt(bytes, at + 26, { length: 2, order: "little" }) ?? 0;
  const extra = numberAt(bytes, at + 28, { length: 2, order: "little" }) ?? 0;
  return at + HEADER + name + extra;
}

function sizeAt(bytes: Uint8Array, at: number): number {
  return numberAt(bytes, at + 18, { length: 4, order: "little" }) ?? 0;
}

/** Returns the offset behind an entry's content. If its size is written after it, searches for the next mark. */
function nextEntry(bytes: Uint8Array, at: number): number | undefined {
  const flags = numberAt(bytes, at + 6, { length: 2, order: "little" }) ?? 0;
  const size = sizeAt(bytes, at);
  const isSizedLater = (flags & 8) !== 0 && size === 0;
  return isSizedLater
    ? findMark(bytes, ENTRY, { from: contentStart(bytes, at) })
    : contentStart(bytes, at) + size;
}
