// Mails as a tree of parts, by RFC 5322 and RFC 2045 to 2049 and 2231. Bytes are texts of Latin-1 until a part's charset
// is known.
import { EngineError } from "../../base/error.ts";

export type MailPart = {
  readonly headers: MailHeaders;
  /** Media type in lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Name of an attached file; empty for a text of the mail. */
  readonly name: string;
  readonly isAttached: boolean;
  readonly parts: readonly MailPart[];
  /** Bytes of a part without parts, decoded from their transfer encoding. */
  readonly body: () => Uint8Array;
};

export type MailHeaders = ReadonlyMap<string, string>;

/** Maximum number of parts of a mail; further ones stay unread. */
const MAX_PARTS = 1_000;
const MAX_DEPTH = 20;
const MAX_HEADERS = 2_000;
const MAX_HEADER = 64 * 1024;

type Counter = { parts: number; skipped: number };

/** `type` is the media type of a part that declares none. */
type Place = { readonly depth: number; readonly type: string };

/** Parses a mail. `skipped` counts the parts beyond the limits. */
export function parseMail(text: string): { readonly mail: MailPart; readonly skipped: number } {
  const counter: Counter = { parts: 0, skipped: 0 };
  const mail = partOf(text, counter, { depth: 0, type: "text/plain" });
  if (mail.headers.size === 0)
    throw new EngineError("invalid_input", "the document is no mail: it has no headers");
  return { mail, skipped: counter.skipped };
}

function partOf(text: string, counter: Counter, { depth, type: usual }: Place): MailPart {
  counter.parts++;
  const { headers, start } = headersOf(text);
  const [declared, parameters] = parametersOf(headers.get("content-type") ?? "");
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : usual;
  const [disposition, places] = parametersOf(headers.get("content-disposition") ?? "");
  const name = decodedWords(places.get("filename") ?? parameters.get("name") ?? "").trim();
  const rest = text.slice(start);
  const boundary = parameters.get("boundary");
  const texts =
    type.startsWith("multipart/") && boundary !== undefined && boundary !== ""
      ? partsIn(rest, boundary)
      : [];
  const below = type === "multipart/digest" ? "message/rfc822" : "text/plain";
  const parts: MailPart[] = [];
  for (const each of texts)
    if (depth < MAX_DEPTH && counter.parts < MAX_PARTS)
      parts.push(partOf(each, counter, { depth: depth + 1, type: below }));
    else counter.skipped++;
  const encoding = (headers.get("content-transfer-encoding") ?? "").trim().toLowerCase();
  return {
    headers,
    type,
    parameters,
    name,
    isAttached:
      disposition === "attachment" || (name !== "" && !/^(?:text|multipart)\//.test(type)),
    parts,
    body: () => transferred(rest, encoding),
  };
}

function headersOf(text: string): { readonly headers: MailHeaders; readonly start: number } {
  const headers = new Map<string, string>();
  let at = /^(?:From [^\r\n]*\r?\n)/.exec(text.slice(0, 1000))?.[0].length ?? 0;
  let [name, value] = ["", ""];
  const put = (): void => {
    if (name !== "" && !headers.has(name) && headers.size < MAX_HEADERS) headers.set(name, value);
  };
  while (at < text.length) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    const line = text.slice(at, end).replace(/\r$/, "");
    const next = end + 1;
    if (line === "") {
      put();
      return { headers, start: next };
    }
    if (/^[ \t]/.test(line)) {
      if (value.length < MAX_HEADER) value += ` ${line.trim()}`;
    } else {
      const match = /^([!-9;-~]{1,200})[ \t]*:(.*)$/.exec(line.slice(0, MAX_HEADER));
      // A text without headers begins here.
      if (match === null) {
        put();
        return { headers, start: at };
      }
      put();
      [name, value] = [(match[1] ?? "").toLowerCase(), (match[2] ?? "").trim()];
    }
    at = next;
  }
  put();
  return { headers, start: text.length };
}

function partsIn(text: string, boundary: string): string[] {
  const parts: string[] = [];
  const mark = `--${boundary}`;
  let start = -1;
  for (let at = text.startsWith(mark) ? 0 : next(0); at !== -1; at = next(at + mark.length)) {
    if (start !== -1) parts.push(text.slice(start, at).replace(/\r?\n$/, ""));
    if (text.startsWith("--", at + mark.length)) return parts;
    const line = text.indexOf("\n", at);
    if (line === -1) return parts;
    start = line + 1;
  }
  if (start !== -1) parts.push(text.slice(start));
  return parts;

  /** Returns the next mark at the beginning of a line. */
  function next(from: number): number {
    const at = text.indexOf(`\n${mark}`, Math.max(0, from - 1));
    return at === -1 ? -1 : at + 1;
  }
}

/** Returns a header's value and its parameters. */
function parametersOf(header: string): readonly [string, ReadonlyMap<string, string>] {
  const [value = "", ...rest] = header.match(/(?:"(?:[^"\\]|\\.){0,2000}"|[^;"]|")+/g) ?? [];
  const parameters = new Map<string, string>();
  const pieces = new Map<string, Array<readonly [number, string, boolean]>>();
  for (const each of rest.slice(0, 100)) {
    const match = /^\s*([\w!#$&.^`|~-]+?)(?:\*(\d{1,3}))?(\*)?\s*=\s*([^]*)$/.exec(each);
    if (match === null) continue;
    const [, key = "", number, star, text = ""] = match;
    const bare = text
      .trim()
      .replace(/^"([^]*)"$/, (_, inner: string) => inner.replaceAll(/\\(.)/g, "$1"));
    const name = key.toLowerCase();
    if (number === undefined && star === undefined) {
      if (!parameters.has(name)) parameters.set(name, bare);
    } else {
      const known = pieces.get(name) ?? [];
      known.push([Number(number ?? 0), bare, star !== undefined]);
      pieces.set(name, known);
    }
  }
  for (const [name, list] of pieces) parameters.set(name, extended(list));
  return [value.trim().toLowerCase(), parameters];
}

/** Joins the pieces of a parameter: `utf-8'de'K%C3%BCche.pdf`. */
function extended(pieces: Array<readonly [number, string, boolean]>): string {
  const sorted = pieces.toSorted(([one], [other]) => one - other);
  const [, first = "", isCoded = false] = sorted[0] ?? [];
  const [, charset = "utf-8"] = isCoded ? (/^([\w:.-]*)'/.exec(first) ?? []) : [];
  const joined = sorted
    .map(([number, text, coded]) =>
      coded ? unescapedBytes(number === 0 ? text.replace(/^[^']*'[^']*'/, "") : text) : text,
    )
    .join("");
  return inCharset(bytesOf(joined), charset === "" ? "utf-8" : charset);
}

function unescapedBytes(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Decodes the words of a header: `=?utf-8?q?K=C3=BCche?=`. Words next to each other are one text. */
export function decodedWords(header: string): string {
  const raw = unescapedHeader(header);
  return raw
    .replaceAll(/(=\?[\w:.*-]+\?[bq]\?[^?]*\?=)\s+(?==\?[\w:.*-]+\?[bq]\?)/gi, "$1")
    .replaceAll(/(?:=\?([\w:.-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=)+/gi, (words: string) =>
      decodedRun(words),
    );
}

/** Headers in plain UTF-8 are allowed since RFC 6532. */
function unescapedHeader(header: string): string {
  if (!/[\u0080-\u00ff]/.test(header) || /[^\0-\u00ff]/.test(header)) return header;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytesOf(header));
  } catch {
    return header;
  }
}

/** Decodes words of one run. Bytes of one charset are joined first: a character may be split between two words. */
function decodedRun(words: string): string {
  let [text, bytes, charset] = ["", "", ""];
  for (const [, label = "", kind = "", content = ""] of words.matchAll(
    /=\?([\w:.-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=/gi,
  )) {
    if (label.toLowerCase() !== charset && bytes !== "") {
      text += inCharset(bytesOf(bytes), charset);
      bytes = "";
    }
    charset = label.toLowerCase();
    bytes += /b/i.test(kind) ? fromBase64(content) : fromQuoted(content.replaceAll("_", " "));
  }
  return text + inCharset(bytesOf(bytes), charset);
}

/** Decodes bytes; an unknown charset is read as Latin-1. */
export function inCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

function transferred(text: string, encoding: string): Uint8Array {
  if (encoding === "base64") return bytesOf(fromBase64(text));
  if (encoding === "quoted-printable") return bytesOf(fromQuoted(text));
  return bytesOf(text);
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Decodes base64 as far as it is base64. */
function fromBase64(text: string): string {
  const clean = text.replaceAll(/[^A-Za-z0-9+/]/g, "");
  const whole = clean.length % 4 === 1 ? clean.slice(0, -1) : clean;
  return atob(whole);
}

function fromQuoted(text: string): string {
  return text
    .replaceAll(/[ \t]+(?=\r?\n)/g, "")
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
}
