// Tape archives in the ustar form: 512-byte blocks, a header before each file.
import { joinBytes } from "../../../base/bytes.ts";
import { serviceFailure } from "../base/service-failure.ts";

export type TarFile = { readonly path: string; readonly content: Uint8Array };

const BLOCK = 512;
const FIELD = { name: 100, prefix: 155 } as const;
/** Headers of the pax and GNU formats. They describe the next file. */
const LONG_NAME = "L";
const PAX = "x";

/** Rounds the bytes of a file up to whole blocks. */
function padded(length: number): number {
  return Math.ceil(length / BLOCK) * BLOCK;
}

/**
 * Packs files into an archive with the same time for all. Throws the failure `bad_request` for a path that is too long.
 */
export function tar(files: readonly TarFile[], modifiedAtMs: number): Uint8Array {
  const pieces = files.flatMap((file) => [
    tarHeader(file, modifiedAtMs),
    file.content,
    tarPadding(file.content.length),
  ]);
  return joinBytes([...pieces, tarEnd()]);
}

/** Returns the header before the content of a file. Throws the failure `bad_request` for a path that is too long. */
export function tarHeader({ path, content }: TarFile, modifiedAtMs: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const { prefix, name } = splitPath(path);
  const put = (offset: number, text: string | Uint8Array): void =>
    block.set(typeof text === "string" ? bytes(text) : text, offset);
  put(0, name);
  put(100, octal(0o644, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(content.length, 12));
  put(136, octal(modifiedAtMs / 1000, 12));
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\u000000");
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** Returns the padding of a file's last block. */
export function tarPadding(length: number): Uint8Array {
  return new Uint8Array(padded(length) - length);
}

/** Returns the end marker after the last file. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}

function octal(value: number, length: number): string {
  const digits = Math.floor(value).toString(8);
  return `${digits.padStart(length - 1, "0")}\0`;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Splits the path into two fields if one is too short. */
function splitPath(path: string): { readonly prefix: Uint8Array; readonly name: Uint8Array } {
  if (bytes(path).length <= FIELD.name) return { prefix: new Uint8Array(), name: bytes(path) };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [bytes(path.slice(0, at)), bytes(path.slice(at + 1))];
    if (prefix.length <= FIELD.prefix && name.length <= FIELD.name && name.length > 0)
      return { prefix, name };
  }
  throw serviceFailure({
    code: "bad_request",
    message: `The path ${JSON.stringify(path)} is too long for a tar file: use zip.`,
  });
}

/**
 * Yields the files of an archive, in their order, without folders, links and devices. Throws the failure
 * `bad_response`.
 */
export function* untar(archive: Uint8Array): Generator<TarFile> {
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(field(header, 124, 12).trim(), 8);
    const end = at + BLOCK + size;
    if (!(size >= 0) || end > archive.length)
      throw serviceFailure({ code: "bad_response", message: "The tar file is broken or cut off." });
    const content = archive.subarray(at + BLOCK, end);
    const type = field(header, 156, 1);
    if (type === LONG_NAME) longName = field(content, 0, content.length);
    else if (type === PAX) longName = paxPath(content) ?? longName;
    else {
      const prefix = field(header, 345, FIELD.prefix);
      const short = field(header, 0, FIELD.name);
      const path = longName ?? (prefix === "" ? short : `${prefix}/${short}`);
      longName = undefined;
      if (type === "0" || type === "") yield { path, content };
    }
    at += BLOCK + padded(size);
  }
}

function field(block: Uint8Array, offset: number, length: number): string {
  const [text = ""] = new TextDecoder().decode(block.subarray(offset, offset + length)).split("\0");
  return text;
}

/** Returns the path of the next file from a pax header: records such as `21 path=a/b.txt`. */
function paxPath(content: Uint8Array): string | undefined {
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(field(content, at, 20), 10);
    if (!(length > 0)) return undefined;
    const record = new TextDecoder().decode(content.subarray(at, at + length));
    const [, path] = /^\d+ path=([^\n]*)\n$/.exec(record) ?? [];
    if (path !== undefined) return path;
    at += length;
  }
  return undefined;
}
