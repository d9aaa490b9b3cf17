// Table of a run's Durable Object: one row for each commit.
//
//   n place in the order of commits
//   version version of the layout, in the first row
//   head changes of the commit, as JSON; empty in rows with a piece of a long text
//   body texts referenced by the head, concatenated; they are read on demand
//
// Code of versions 1 to 4 looks for a version in a table of this name first. After a rollback to such code, it finds a
// newer version and leaves the object unchanged, instead of treating it as never started.
import { anyText } from "../../base/any-text.ts";
import { EngineError } from "../../base/error.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** Layout of rows. Objects of lower versions are migrated (old-run-tables.ts). */
export const LAYOUT = 5;

export const TABLE = "schema_version";
const CREATE = `CREATE TABLE ${TABLE} (n INTEGER PRIMARY KEY, version INTEGER, head TEXT NOT NULL, body TEXT)`;
const INSERT = `INSERT INTO ${TABLE} (n, version, head, body) VALUES (?, ?, ?, ?)`;

/** Maximum length of a piece in UTF-16 units: at most 768 KiB in UTF-8, well below the platform's 2 MB for a row. */
const MAX_PIECE = 256 * 1024;
/** Maximum length of a text inside a shared row. A longer text has its own rows. */
const MAX_INSIDE = 128 * 1024;
/** Length from which a row takes no further texts. */
const MAX_ROW = 128 * 1024;
const PAGE = 500;

/** Location of a text: in the body of a row, or, with a negative second number, in that many rows of its own. */
export type Place = readonly [row: number, from: number, length: number];

/** Text of the run. It stays in memory until it is written. */
export type KeptText = { text: string | undefined; place: Place | undefined };

/** Change of a commit as stored in its head: its list and its texts. */
export type Change = {
  readonly list: "steps" | "events" | "texts" | "outbox" | "record";
  readonly texts: readonly KeptText[];
  /** Creates the entry in the head from the places of its texts. */
  readonly entry: (places: readonly HeadPlace[]) => unknown;
};

/** Place as stored in the head of a row. Two numbers are a place in the row's own body. */
export type HeadPlace = readonly [from: number, length: number] | Place;

export type Head = {
  readonly steps?: readonly unknown[];
  readonly events?: readonly unknown[];
  readonly texts?: readonly unknown[];
  readonly outbox?: readonly unknown[];
  readonly record?: readonly unknown[];
};

export function newText(text: string): KeptText {
  return { text, place: undefined };
}

/** Returns a text referenced by a head. */
export function textAt(place: HeadPlace, row: number): KeptText {
  return {
    text: undefined,
    place: place.length === 2 ? [row, place[0], place[1]] : place,
  };
}

export function lengthOf({ text, place }: KeptText): number {
  return text?.length ?? place?.[2] ?? 0;
}

export class CommitLog {
  readonly #sql: SqlDatabase;
  #exists = false;
  #last = 0;
  /** Last body read, as texts of one commit are often read one after another. */
  #lastBody: { readonly row: number; readonly body: string } | undefined;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  /** Returns the version of the object's layout; 0 if the run was never started. */
  version(): number {
    for (const _ of this.#sql.exec(
      `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${TABLE}'`,
    ))
      for (const { version } of this.#sql.exec(`SELECT version FROM ${TABLE} LIMIT 1`))
        return Number(version);
    return 0;
  }

  /** Yields all heads, in the order of commits. The table must exist. */
  *heads(): Generator<{ readonly row: number; readonly head: Head }> {
    this.#exists = true;
    for (let after = 0; ;) {
      const rows = [
        ...this.#sql.exec(
          `SELECT n, head FROM ${TABLE} WHERE n > ? ORDER BY n LIMIT ?`,
          after,
          PAGE,
        ),
      ];
      for (const { n, head } of rows) {
        after = Number(n);
        this.#last = after;
        if (head !== "") yield { row: after, head: JSON.parse(String(head)) as Head };
      }
      if (rows.length < PAGE) return;
    }
  }

  /**
   * Opens the commit of this turn, so the platform sends no output of the turn before the turn is written. Writes no
   * row.
   */
  open(): void {
    if (this.#exists) this.#sql.exec(`DELETE FROM ${TABLE} WHERE n < 0`);
  }

  /** Writes all changes or, on failure, no change: in one row, unless they are too long. */
  append(changes: readonly Change[]): void {
    const writing = new Writing(this.#last + 1);
    for (const change of changes) writing.add(change);
    const rows = writing.rows();
    const write = (): void => {
      if (!this.#exists) this.#sql.exec(CREATE);
      for (const [n, head, body] of rows)
        this.#sql.exec(INSERT, n, n === 1 ? LAYOUT : null, head, body);
    };
    if (rows.length === 1 && this.#exists) write();
    else this.#sql.transaction(write);
    this.#exists = true;
    this.#last += rows.length;
    writing.done();
  }

  /** Resets the state after the table was dropped or its creation undone. */
  forget(): void {
    this.#exists = false;
    this.#last = 0;
    this.#lastBody = undefined;
  }

  read({ text, place }: KeptText): string {
    if (text !== undefined) return text;
    if (place === undefined) throw incomplete(0);
    const [row, from, length] = place;
    if (from >= 0) {
      const found = this.#body(row).slice(from, from + length);
      if (found.length < length) throw incomplete(row);
      return found;
    }
    const pieces = [...this.#pieces(row, -from)];
    if (pieces.length < -from) throw incomplete(row);
    return pieces.map(({ body }) => String(body)).join("");
  }

  /** Reads a piece of a text, but not the rows after it. */
  readPart(kept: KeptText, start: number, length: number): string {
    const { text, place } = kept;
    if (text !== undefined || place === undefined || place[1] >= 0)
      return this.read(kept).slice(start, start + length);
    const [row, from] = place;
    let at = 0;
    let found = "";
    for (let piece = 0; piece < -from && found.length < length; piece++) {
      const [{ body } = { body: "" }] = this.#pieces(row + piece, 1);
      const inside = Math.max(0, start - at);
      found += String(body).slice(inside, inside + length - found.length);
      at += String(body).length;
    }
    return found;
  }

  #pieces(row: number, count: number): Iterable<Record<string, unknown>> {
    return this.#sql.exec(
      `SELECT body FROM ${TABLE} WHERE n >= ? AND n < ? ORDER BY n`,
      row,
      row + count,
    );
  }

  #body(row: number): string {
    if (this.#lastBody?.row === row) return this.#lastBody.body;
    for (const { body } of this.#pieces(row, 1)) {
      const text = typeof body === "string" ? body : "";
      this.#lastBody = { row, body: text };
      return text;
    }
    throw incomplete(row);
  }
}

function incomplete(row: number): EngineError {
  return new EngineError("internal", `the stored text in row ${row} of the run is incomplete`);
}

type Row = readonly [n: number, head: string, body: string | null];

/** Rows under construction. Places become valid after the write. */
class Writing {
  readonly #rows: Row[] = [];
  readonly #places: Array<{ readonly kept: KeptText; readonly place: Place }> = [];
  /** Number of the next row for long texts of the current row; they follow it. */
  #next: number;
  #row: number;
  #lists: Partial<Record<Change["list"], string[]>> = {};
  #body = "";
  #length = 0;

  constructor(first: number) {
    this.#row = first;
    this.#next = first + 1;
  }

  add({ list, texts, entry }: Change): void {
    const inside = texts.reduce((sum, kept) => {
      const length = lengthOf(kept);
      return length > MAX_INSIDE ? sum : sum + length;
    }, 0);
    if (this.#length > 0 && this.#length + inside > MAX_ROW) this.#close();
    const json = anyText(entry(texts.map((kept) => this.#place(kept))));
    (this.#lists[list] ??= []).push(json);
    this.#length += inside + json.length;
  }

  rows(): readonly Row[] {
    this.#close();
    return this.#rows;
  }

  /** Drops written texts from memory. */
  done(): void {
    for (const { kept, place } of this.#places) {
      kept.place = place;
      kept.text = undefined;
    }
  }

  #place(kept: KeptText): HeadPlace {
    if (kept.place !== undefined) return kept.place;
    const text = kept.text ?? "";
    if (text.length <= MAX_INSIDE) {
      const from = this.#body.length;
      this.#body += text;
      this.#places.push({ kept, place: [this.#row, from, text.length] });
      return [from, text.length];
    }
    const row = this.#next;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      this.#rows.push([this.#next++, "", text.slice(start, end)]);
      start = end;
    }
    const place: Place = [row, row - this.#next, text.length];
    this.#places.push({ kept, place });
    return place;
  }

  #close(): void {
    const parts = Object.entries(this.#lists).map(([list, all]) => `"${list}":[${all.join(",")}]`);
    this.#rows.push([this.#row, `{${parts.join(",")}}`, this.#body === "" ? null : this.#body]);
    this.#row = this.#next++;
    this.#lists = {};
    this.#body = "";
    this.#length = 0;
  }
}

/** Returns the end of a piece starting at `start`, never between the two halves of a surrogate pair. */
function pieceEnd(value: string, start: number): number {
  const end = Math.min(value.length, start + MAX_PIECE);
  const last = value.charCodeAt(end - 1);
  const splitsPair = end < value.length && last >= 0xd800 && last <= 0xdbff;
  return splitsPair ? end - 1 : end;
}
