// A run as lines of a terminal, from its view and the size alone.
//
//   LVW1. The lines fit: they are at most as wide as the terminal, and at least four fewer than its rows. Finished rows
//         are folded first, then future ones.
//   LVW2. Every sign has a word beside it. On a terminal without Unicode, letters replace the signs.
//   LVW3. Child runs are below their row: one level, the first few active ones, then the number of others.
//   LVW4. The newest speaker's text is shown from its end, wrapped to the width, with wide characters too.
import { cutTo, padded, plain, widthOf } from "./output.ts";
import { rowOf, type RowState, type RunView, type ViewChild, type ViewRow } from "./run-view.ts";

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
const NOTICES_SHOWN = 2;
const CHILDREN_SHOWN = 3;
const MAX_NAME = 28;

/** The lines of a run. */
export function viewLines(view: RunView, size: ViewSize): readonly string[] {
  const { columns, rows: height, nowMs, ascii = false } = size;
  const room = Math.max(4, height - 4);
  const notices = view.notices.slice(-NOTICES_SHOWN).map((text) => `! ${plain(text)}`);
  const words = wordLines(view, size);
  const most = Math.max(1, room - 1 - words.length - notices.length);
  const names = Math.min(
    MAX_NAME,
    Math.max(0, ...view.rows.map(({ name }) => widthOf(plain(name)))),
  );
  const lines = [
    headLine(view, nowMs),
    ...rowLines(view, { most, names, size }),
    ...words,
    ...notices,
  ];
  return lines.slice(0, room).map((line) => cutTo(line.trimEnd(), columns, ascii ? "..." : "…"));
}

/** Returns a changed row as a plain line, without signs and columns. */
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

type Room = { readonly most: number; readonly names: number; readonly size: ViewSize };

/** Returns the rows with their children, within the available room. */
function rowLines(view: RunView, { most, names, size }: Room): readonly string[] {
  const children = childrenByRow(view);
  const shown = folded(view.rows, most);
  const spare = most - shown.rows.length - (shown.folded === "" ? 0 : 1);
  let left = Math.max(0, spare);
  const below = (key: string): readonly string[] => {
    const lines = childLines(children.get(key) ?? [], size).slice(0, left);
    left -= lines.length;
    return lines;
  };
  return [
    ...below(""),
    ...(shown.folded === "" ? [] : [`  ${shown.folded}`]),
    ...shown.rows.flatMap((row) => [rowLine(row, { names, size }), ...below(row.key)]),
  ];
}

/** Children of the run itself are under the empty key. A child with a row of its own is left out. */
function childrenByRow({ rows, children }: RunView): ReadonlyMap<string, readonly ViewChild[]> {
  const keys = new Set(rows.map(({ key }) => key));
  const own = children.filter(({ key }) => !keys.has(key));
  return Map.groupBy(own, ({ key }) => rowOf(rows, key)?.key ?? "");
}

const isOpen = ({ state }: ViewChild): boolean => state === "running";
const isDone = ({ state }: ViewRow): boolean => state === "done";
const isAhead = ({ state }: ViewRow): boolean => state === "waiting";

function childLines(
  children: readonly ViewChild[],
  { ascii = false }: ViewSize,
): readonly string[] {
  const ordered = [...children.filter(isOpen), ...children.filter((child) => !isOpen(child))];
  const hidden = ordered.slice(CHILDREN_SHOWN);
  const lines = ordered.slice(0, CHILDREN_SHOWN).map(({ key, runId, state }) => {
    const [sign, letter, word] = SIGNS[state];
    const name = plain(key.slice(key.lastIndexOf("/") + 1));
    return `    ${ascii ? letter : sign} ${name}  ${word}  run ${plain(runId)}`;
  });
  if (hidden.length === 0) return lines;
  const open = hidden.filter(isOpen).length;
  const rest = open === 0 ? "all done" : `${open} under way`;
  return [...lines, `    + ${hidden.length} more, ${rest}`];
}

function rowLine(
  row: ViewRow,
  { names, size }: { readonly names: number; readonly size: ViewSize },
): string {
  const [sign, letter, word] = SIGNS[row.state];
  const { ascii = false, nowMs } = size;
  const tookMs =
    row.startedAtMs === undefined ? undefined : (row.endedAtMs ?? nowMs) - row.startedAtMs;
  const tools = Object.entries(row.tools).map(([tool, count]) => `${plain(tool)} ×${count}`);
  const name = cutTo(plain(row.name), names, ascii ? "..." : "…");
  const parts = [
    `${ascii ? letter : sign} ${padded(name, names)}`,
    word.padEnd(6),
    plain(row.who),
    tookMs === undefined ? "" : seconds(tookMs),
    row.tokens === 0 ? "" : row.tokens.toLocaleString("en"),
    row.times > 1 ? `×${row.times}` : "",
    ...tools,
  ].filter((part) => part !== "");
  const line = parts.join("  ");
  return ascii ? line.replaceAll("×", "x") : line;
}

/** Returns the end of the newest speaker's text. */
function wordLines({ words }: RunView, { columns, ascii = false }: ViewSize): readonly string[] {
  const speaking = Object.values(words).findLast(({ done, text }) => !done && text !== "");
  if (speaking === undefined) return [];
  const bar = ascii ? "  | " : "  │ ";
  const width = Math.max(2, columns - widthOf(bar));
  // Only the end is shown, so a long answer need not be wrapped again for each token.
  const end = speaking.text.slice(-(WORDS_SHOWN + 1) * Math.max(width, 40) * 4);
  const lines = end.split("\n").flatMap((line) => wrapped(plain(line), width));
  return lines.slice(-WORDS_SHOWN).map((line) => bar + line);
}

/** Wraps at blanks, or within a word if there are none, as in languages without blanks. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  const put = (part: string): void => {
    if (line !== "" && widthOf(line + part) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += line === "" ? part.trimStart() : part;
  };
  for (const part of text.split(/(?=\s)/)) {
    if (widthOf(part) <= width) put(part);
    else for (const { segment } of SEGMENTS.segment(part)) put(segment);
  }
  return line === "" ? lines : [...lines, line];
}

const SEGMENTS = new Intl.Segmenter();

/** Returns the rows that fit, in order: active ones, then the newest finished, then the next to begin. */
function folded(
  rows: readonly ViewRow[],
  most: number,
): { readonly rows: readonly ViewRow[]; readonly folded: string } {
  if (rows.length <= most) return { rows, folded: "" };
  const room = Math.max(1, most - 1);
  const active = rows.filter((row) => !isDone(row) && !isAhead(row));
  const ahead = rows.filter(isAhead);
  const kept = new Set(
    [...active, ...ahead.slice(0, 1), ...rows.filter(isDone).toReversed(), ...ahead.slice(1)].slice(
      0,
      room,
    ),
  );
  const hidden = rows.filter((row) => !kept.has(row));
  const done = hidden.filter(isDone).length;
  const others = hidden.length - done;
  const parts = [
    ...(done === 0 ? [] : [`${done} done`]),
    ...(others === 0 ? [] : [`${others} more`]),
  ];
  return { rows: rows.filter((row) => kept.has(row)), folded: parts.join(", ") };
}

/** The clock of the Worker may be ahead of ours. */
function seconds(passedMs: number): string {
  const ms = Math.max(0, passedMs);
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
