// Content of a document that its text does not have, as readers report it.
//
//   LOS1. A report is bounded: one entry for each kind, with the first place and a few examples.
//   LOS2. A loss never fails the reading of a document, and is reported beside its text.
import type { TextMark } from "./text-mark.ts";

/** Place of a loss: a page, a row, a line or a sheet. */
export type LossPlace = Omit<TextMark, "offset">;

/** Content of one kind that the text of a document does not have. */
export type DocumentLoss = {
  readonly kind: LossKind;
  readonly count: number;
  /** Place of the first one, if it is known. */
  readonly place?: LossPlace;
  /** One line for people: `3 pictures without text, first on page 2: logo.png`. */
  readonly detail: string;
};

/** Singular and plural of each kind, as `detail` names it. */
const PHRASES = {
  picture: ["picture without text", "pictures without text"],
  page_without_text: ["page without text", "pages without text"],
  chart: ["chart without text", "charts without text"],
  embedded_file: ["embedded file", "embedded files"],
  media: ["sound or video", "sounds or videos"],
  macro: ["file of macros", "files of macros"],
  script: ["part that a script may make", "parts that scripts may make"],
  hidden: ["hidden text, left out", "hidden texts, left out"],
  deleted: ["deleted text, left out", "deleted texts, left out"],
  comment: ["comment, left out", "comments, left out"],
  repeated: ["line of a page's margin, left out", "lines of pages' margins, left out"],
  navigation: ["menu, control or footer, left out", "menus, controls or footers, left out"],
  frame: ["frame with another page", "frames with other pages"],
  drawing: ["drawing without text", "drawings without text"],
  equation: ["equation without text", "equations without text"],
  formula: ["formula without a stored value", "formulas without stored values"],
  symbol: ["symbol of an unknown font", "symbols of unknown fonts"],
  font: ["font without known letters", "fonts without known letters"],
  undecodable: ["character without a known meaning", "characters without a known meaning"],
  form_field: ["area of a form, not read", "areas of a form, not read"],
  order: ["text in uncertain order", "texts in uncertain order"],
  encoding: ["text in a guessed encoding", "texts in guessed encodings"],
  malformed: ["malformed part", "malformed parts"],
  unknown_element: ["element of unknown meaning", "elements of unknown meaning"],
} as const satisfies Readonly<Record<string, readonly [one: string, many: string]>>;

/** Kind of lost content. */
export type LossKind = keyof typeof PHRASES;

/** All kinds, in the order of a report. */
export const LOSS_KINDS = Object.keys(PHRASES) as readonly LossKind[];

/** Maximum number of examples of one kind. */
const MAX_EXAMPLES = 3;
/** Maximum length of an example. */
const MAX_EXAMPLE = 60;

type Counted = { count: number; readonly place: LossPlace; readonly examples: string[] };

export type LossOptions = {
  readonly place?: LossPlace | undefined;
  /** Number of losses. @default 1 */
  readonly count?: number;
  /** Name or beginning of the lost content. */
  readonly example?: string | undefined;
};

/** Counts the losses of one document (LOS1). */
export class DocumentLosses {
  readonly #counted = new Map<LossKind, Counted>();

  add(kind: LossKind, { place = {}, count = 1, example = "" }: LossOptions = {}): void {
    if (count <= 0) return;
    let found = this.#counted.get(kind);
    if (found === undefined) this.#counted.set(kind, (found = { count: 0, place, examples: [] }));
    found.count += count;
    const { examples } = found;
    if (example === "" || examples.length === MAX_EXAMPLES) return;
    const short = shortened(example);
    if (short !== "" && !examples.includes(short)) examples.push(short);
  }

  /** Returns the fields of a `DocumentText`: no field without losses. */
  report(): { readonly losses?: readonly DocumentLoss[] } {
    if (this.#counted.size === 0) return {};
    const losses = LOSS_KINDS.flatMap((kind) => {
      const found = this.#counted.get(kind);
      return found === undefined ? [] : [lossOf(kind, found)];
    });
    return { losses };
  }
}

function lossOf(kind: LossKind, { count, place, examples }: Counted): DocumentLoss {
  const [one, many] = PHRASES[kind];
  const named = `${count} ${count === 1 ? one : many}`;
  const words = wordsOf(place);
  const first = words === "" ? "" : `, ${count === 1 ? "" : "first "}${words}`;
  const shown = examples.length === 0 ? "" : `: ${examples.join(", ")}`;
  return {
    kind,
    count,
    ...(words === "" ? undefined : { place: shortPlace(place) }),
    detail: `${named}${first}${shown}${shown !== "" && count > examples.length ? ", …" : ""}`,
  };
}

function shortPlace({ sheet, ...rest }: LossPlace): LossPlace {
  return sheet === undefined ? rest : { ...rest, sheet: shortened(sheet) };
}

function wordsOf({ sheet, page, row, line }: LossPlace): string {
  const within = sheet === undefined ? "" : `in sheet ${shortened(sheet)}`;
  const at =
    page !== undefined
      ? `on page ${page}`
      : row !== undefined
        ? `in row ${row}`
        : line === undefined
          ? ""
          : `in line ${line}`;
  return [at, within].filter((words) => words !== "").join(" ");
}

function shortened(text: string): string {
  const line = text
    .slice(0, 4 * MAX_EXAMPLE)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  const letters = Array.from(line);
  return letters.length <= MAX_EXAMPLE ? line : `${letters.slice(0, MAX_EXAMPLE).join("")}…`;
}
