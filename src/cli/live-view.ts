// A run as lines of a terminal, from its view and the size alone.
//
//   LVW1. The lines fit: none is wider than the terminal, and there are at most four fewer than it has rows. Finished rows are folded first.
//   LVW2. Every sign has a word beside it where there is room, and letters stand for it where the terminal knows no Unicode.
import { cutTo, padded, plain, widthOf } from "./output.ts";
import type { RowState, RunView, ViewRow } from "./run-view.ts";

export type ViewSize = {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** Without Unicode. */
  readonly ascii?: boolean;
};

const SIGNS: Readonly<Record<RowState, readonly [sign: string, ascii: string, word: string]>> = {
  waiting: ["·", ".", "waits"],
  running: ["▸", ">", "works"],
  done: ["✓", "+", "done"],
  failed: ["✗", "x", "failed"],
  person: ["⏸", "?", "asks"],
  again: ["↻", "~", "again"],
};

const WORDS_SHOWN = 3;

/** The lines of a run. */
export function viewLines(view: RunView, size: ViewSize): readonly string[] {
  const { columns, rows: height, nowMs } = size;
  const room = Math.max(4, height - 4);
  const words = wordLines(view, size);
  const notices = view.notices.slice(-2).map((text) => `! ${text}`);
  const most = Math.max(1, room - 1 - words.length - notices.length);
  const shown = folded(view.rows, most);
  const names = Math.min(28, Math.max(0, ...shown.rows.map(({ name }) => widthOf(plain(name)))));
  const lines = [
    headLine(view, nowMs),
    ...(shown.hidden === 0 ? [] : [`  ${shown.hidden} done`]),
    ...shown.rows.map((row) => rowLine(row, { names, size })),
    ...words,
    ...notices,
  ];
  return lines.slice(0, room).map((line) => cutTo(plainEnd(line), columns));
}

/** What a row that changed is for somebody who reads lines: no signs, no columns. */
export function changeLine(row: ViewRow, startedAtMs: number): string {
  const atMs = row.endedAtMs ?? row.startedAtMs ?? startedAtMs;
  const tokens = row.tokens === 0 ? "" : ` ${row.tokens} tokens`;
  return `${((atMs - startedAtMs) / 1000).toFixed(1)}s ${plain(row.name)} ${SIGNS[row.state][2]}${tokens}`;
}

function headLine(
  { name, status, startedAtMs, endedAtMs, ...view }: RunView,
  nowMs: number,
): string {
  const tookMs = startedAtMs === undefined ? undefined : (endedAtMs ?? nowMs) - startedAtMs;
  return [
    plain(name),
    status,
    tookMs === undefined ? "" : seconds(tookMs),
    view.tokens === 0 ? "" : `${view.tokens.toLocaleString("en")} tokens`,
    view.costUsd === 0 ? "" : `$${view.costUsd.toFixed(4)}`,
  ]
    .filter((part) => part !== "")
    .join("  ");
}

function rowLine(
  row: ViewRow,
  { names, size }: { readonly names: number; readonly size: ViewSize },
): string {
  const [sign, ascii, word] = SIGNS[row.state];
  const tookMs =
    row.startedAtMs === undefined ? undefined : (row.endedAtMs ?? size.nowMs) - row.startedAtMs;
  const tools = Object.entries(row.tools).map(([tool, count]) => `${plain(tool)} ×${count}`);
  const parts = [
    `${size.ascii ? ascii : sign} ${padded(cutTo(plain(row.name), names), names)}`,
    word.padEnd(6),
    plain(row.who),
    tookMs === undefined ? "" : seconds(tookMs),
    row.tokens === 0 ? "" : row.tokens.toLocaleString("en"),
    row.times > 1 ? `×${row.times}` : "",
    ...tools,
  ].filter((part) => part !== "");
  const line = parts.join("  ");
  return size.ascii ? line.replaceAll("×", "x") : line;
}

/** The end of what the newest speaker has said. */
function wordLines({ words }: RunView, { columns, ascii = false }: ViewSize): readonly string[] {
  const speaking = Object.values(words).findLast(({ done, text }) => !done && text !== "");
  if (speaking === undefined) return [];
  const bar = ascii ? "  | " : "  │ ";
  const width = Math.max(10, columns - widthOf(bar));
  const lines = speaking.text.split("\n").flatMap((line) => wrapped(plain(line), width));
  return lines.slice(-WORDS_SHOWN).map((line) => bar + line);
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

/** As many rows as there is room for: unfinished ones, then the newest. */
function folded(
  rows: readonly ViewRow[],
  most: number,
): { readonly rows: readonly ViewRow[]; readonly hidden: number } {
  if (rows.length <= most) return { rows, hidden: 0 };
  const room = Math.max(1, most - 1);
  const open = rows.filter((row) => !isDone(row)).slice(0, room);
  const done = rows.filter(isDone).slice(-(room - open.length) || rows.length);
  const kept = new Set([...open, ...(room > open.length ? done : [])]);
  const shown = rows.filter((row) => kept.has(row));
  return { rows: shown, hidden: rows.length - shown.length };
}

const isDone = ({ state }: ViewRow): boolean => state === "done";

function seconds(ms: number): string {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

const plainEnd = (line: string): string => line.trimEnd();
