import { EngineError } from "../../base/error.ts";
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader, ReadLimits } from "../document-text.ts";
import { checkLength, TextBuilder } from "../text-builder.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { decodedWords, inCharset, parseMail, type MailPart } from "./mail-parts.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum number of files of one mail that are read. */
const MAX_FILES = 50;
/** Maximum number of mails of one mailbox. */
const MAX_MAILS = 10_000;
/** Maximum nesting of mails attached to mails. */
const MAX_MAILS_DEEP = 5;
const SHOWN = ["from", "to", "cc", "date"] as const;

/** Mails: the subject as a heading, the people and the date, the text, and attached files that have a reader. */
export const mailReader: DocumentReader = {
  ...DOCUMENT_FORMATS.mail,
  read: (bytes, limits) => readMails([latin(bytes)], limits),
};

/** Mailboxes: mail after mail. */
export const mailboxReader: DocumentReader = {
  ...DOCUMENT_FORMATS.mailbox,
  read: (bytes, limits) => readMails(mailsIn(latin(bytes)), limits),
};

async function readMails(mails: Iterable<string>, limits: ReadLimits) {
  const reading = new MailReading(limits);
  for (const mail of mails) await reading.add(mail, 1);
  return reading.build();
}

function latin(bytes: Uint8Array): string {
  // `latin1` of a TextDecoder is Windows-1252, which changes bytes.
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return pieces.join("");
}

/** Yields the mails of a mailbox, which begin with `From ` after a blank line. */
function* mailsIn(text: string): Generator<string> {
  const starts = /(?<=^|\n\r?\n)From [^\r\n]*\r?\n(?=[\w-]+:)/g;
  let start: number | undefined;
  let count = 0;
  for (const { index } of text.matchAll(starts)) {
    if (start !== undefined) yield text.slice(start, index).replaceAll(/^>(>*From )/gm, "$1");
    start = index;
    if (++count > MAX_MAILS)
      throw new EngineError(
        "limit_exceeded",
        `the mailbox has more than ${MAX_MAILS} mails: split it up`,
      );
  }
  if (start === undefined)
    throw new EngineError("invalid_input", "the document is no mailbox: no line begins with From");
  yield text.slice(start).replaceAll(/^>(>*From )/gm, "$1");
}

class MailReading {
  readonly #limits: ReadLimits;
  readonly #builder: TextBuilder;
  readonly #losses = new DocumentLosses();
  readonly #work = new ReadingWork("mail");
  #files = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
    this.#builder = new TextBuilder(limits);
  }

  build() {
    const { text, marks } = this.#builder.build();
    return { text, marks, format: "markdown" as const, ...this.#losses.report() };
  }

  async add(text: string, depth: number): Promise<void> {
    const { mail, skipped } = parseMail(text);
    this.#losses.add("embedded_file", { count: skipped, example: "parts beyond the limit" });
    const subject = decodedWords(mail.headers.get("subject") ?? "")
      .replaceAll(/\s+/g, " ")
      .trim();
    this.#block(
      `${"#".repeat(Math.min(depth, 6))} ${subject === "" ? "Mail without a subject" : subject}`,
    );
    const lines = SHOWN.flatMap((name) => {
      const value = decodedWords(mail.headers.get(name) ?? "").trim();
      return value === "" ? [] : [`${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`];
    });
    this.#block(lines.join("\n"));
    await this.#part(mail, depth);
  }

  #block(text: string): void {
    if (text.trim() === "") return;
    this.#builder.add(this.#builder.length === 0 ? text : `\n\n${text}`);
  }

  async #part(part: MailPart, depth: number): Promise<void> {
    const { type, parts } = part;
    this.#work.spend(1000);
    await this.#work.pause();
    if (type === "multipart/alternative") {
      const best = bestOf(parts);
      if (best !== undefined) await this.#part(best, depth);
      for (const other of parts) if (other !== best) await this.#filesOf(other, depth);
    } else if (type.startsWith("multipart/"))
      for (const each of parts) await this.#part(each, depth);
    else if (part.isAttached) await this.#file(part, depth);
    else if (type === "message/rfc822") await this.#mail(part, depth);
    else if (type === "text/html") this.#block(await this.#html(part));
    else if (type.startsWith("text/") && type !== "text/calendar") this.#block(this.#plain(part));
    else await this.#file(part, depth);
  }

  /** Reads the files beside a form of the mail that is not shown. */
  async #filesOf(part: MailPart, depth: number): Promise<void> {
    for (const each of part.parts) await this.#filesOf(each, depth);
    const isFile = part.isAttached || !/^(?:text|multipart)\//.test(part.type);
    if (isFile) await this.#file(part, depth);
  }

  #plain(part: MailPart): string {
    const body = part.body();
    this.#work.spend(body.length);
    checkLength(body.length, { maxCharacters: this.#limits.maxCharacters * 4 });
    const charset = part.parameters.get("charset") ?? "utf-8";
    return inCharset(body, /^us-ascii$/i.test(charset) ? "utf-8" : charset)
      .replaceAll(/\r\n?/g, "\n")
      .trim();
  }

  async #html(part: MailPart): Promise<string> {
    const { htmlReader } = await import("./html-reader.ts");
    const html = new TextEncoder().encode(this.#plain(part));
    return (await htmlReader.read(html, this.#limits)).text.trim();
  }

  async #mail(part: MailPart, depth: number): Promise<void> {
    if (depth >= MAX_MAILS_DEEP) {
      this.#losses.add("embedded_file", { example: part.name });
      return;
    }
    try {
      await this.add(latin(part.body()), depth + 1);
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
      this.#losses.add("malformed", { example: part.name === "" ? part.type : part.name });
    }
  }

  /** Reads a file with the reader for its name and type, or reports it. */
  async #file(part: MailPart, depth: number): Promise<void> {
    const { name, type } = part;
    if (type === "message/rfc822") return this.#mail(part, depth);
    const readers = await allReaders();
    const reader =
      readers.find(({ extensions }) =>
        extensions.some((ending) => name.toLowerCase().endsWith(ending)),
      ) ?? readers.find(({ mediaTypes }) => mediaTypes.includes(type));
    const kind = type.startsWith("image/") ? "picture" : "embedded_file";
    if (reader === undefined || ++this.#files > MAX_FILES) {
      this.#losses.add(kind, { example: name === "" ? type : name });
      return;
    }
    try {
      const { text, losses = [] } = await reader.read(part.body(), {
        maxCharacters: this.#limits.maxCharacters - this.#builder.length,
        encoding: part.parameters.get("charset"),
      });
      this.#block(`${"#".repeat(Math.min(depth + 1, 6))} ${name === "" ? type : name}`);
      this.#block(text.trim());
      for (const { kind: lost, count } of losses) this.#losses.add(lost, { count, example: name });
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      this.#losses.add("embedded_file", { example: `${name}: ${error.message}` });
    }
  }
}

/** Returns the readers of attached files; their libraries load with the first such file. */
async function allReaders(): Promise<readonly DocumentReader[]> {
  const [{ ATTACHED_READERS }, { TEXT_READERS }] = await Promise.all([
    import("./attached-readers.ts"),
    import("./text-reader-list.ts"),
  ]);
  return [...ATTACHED_READERS, ...TEXT_READERS];
}

/** Returns the plain text of a mail's forms, else its page, else the last form. */
function bestOf(parts: readonly MailPart[]): MailPart | undefined {
  return (
    parts.find((part) => isText(part, "text/plain")) ??
    parts.find((part) => isText(part, "text/html")) ??
    parts.find(({ type }) => type.startsWith("multipart/")) ??
    parts.at(-1)
  );
}

function isText(part: MailPart, type: string): boolean {
  return part.type === type && !part.isAttached && part.body().some((byte) => byte > 32);
}
