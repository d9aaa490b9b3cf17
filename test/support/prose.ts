// Measures of plain English: comments, test names and pages, by room. `node test/support/prose.ts` prints the table.
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commentsOf, readSource, sourceFiles } from "./source-files.ts";
import { testNamesOf } from "./test-names.ts";

/** Occurrences in the texts of a room. */
export type Prose = {
  /** Comments, test names or sentences. */
  readonly texts: number;
  readonly words: number;
  /** Texts whose first word is a relative or interrogative one: "What", "Who", "Whether", "Those", … */
  readonly clauseFirst: number;
  readonly what: number;
  readonly that: number;
  /** "said", "says" and "told". */
  readonly said: number;
  /** "nobody", "nothing" and "none". */
  readonly nobody: number;
};

export type Counts = Omit<Prose, "texts" | "words">;

/** Goals: uses per 1,000 words, and `clauseFirst` per 1,000 texts. */
const GOALS: Counts = { clauseFirst: 30, what: 2, that: 12, said: 1, nobody: 3 };

/** Uses that a small room may have beside any goal. */
const FEW = 2;

/** The marks a room has more of than the goals allow. */
export function beyondGoals(
  prose: Prose,
): ReadonlyArray<{ readonly mark: keyof Counts; readonly count: number }> {
  return (Object.keys(GOALS) as ReadonlyArray<keyof Counts>).flatMap((mark) => {
    const of = mark === "clauseFirst" ? prose.texts : prose.words;
    const count = prose[mark];
    return count > Math.max(FEW, (GOALS[mark] * of) / 1000) ? [{ mark, count }] : [];
  });
}

const CLAUSE_FIRST =
  /^(?:what|whatever|whether|whose|who|whom|whoever|where|wherever|how|which|whichever|those|that)\b/i;

/** Sums the texts. Code between backticks, tags and addresses are left out. */
export function measure(texts: readonly string[]): Prose {
  const plain = texts.map(plainText).filter((text) => /[a-z]/i.test(text));
  const words = plain.flatMap((text) => text.toLowerCase().match(/[a-z]+(?:['’-][a-z]+)*/g) ?? []);
  const count = (...wanted: readonly string[]): number =>
    words.filter((word) => wanted.includes(word)).length;
  return {
    texts: plain.length,
    words: words.length,
    clauseFirst: plain.filter((text) => CLAUSE_FIRST.test(text)).length,
    what: count("what", "whatever"),
    that: count("that"),
    said: count("said", "says", "told"),
    nobody: count("nobody", "nothing", "none"),
  };
}

/** Measures by room: `src/journal` and `console/pages` of comments, `test/unit` of test names, `docs` of sentences. */
export function proseByRoom(): Readonly<Record<string, Prose>> {
  const texts = new Map<string, string[]>();
  const add = (room: string, found: readonly string[]): void => {
    texts.set(room, [...(texts.get(room) ?? []), ...found]);
  };
  for (const path of codeFiles())
    add(
      roomOf(path),
      commentsOf(path).map(({ value }) => value),
    );
  for (const path of sourceFiles("test"))
    if (path.endsWith(".test.ts")) add(roomOf(path), testNames(path));
  for (const path of pages()) add("docs", sentencesOf(readSource(path)));
  return Object.fromEntries(
    [...texts]
      .map(([room, found]) => [room, measure(found)] as const)
      .filter(([, { texts: some }]) => some > 0)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

/** Adds measures of several rooms. */
export function sumOf(measures: readonly Prose[]): Prose {
  const sum = (field: keyof Prose): number =>
    measures.reduce((total, prose) => total + prose[field], 0);
  return {
    texts: sum("texts"),
    words: sum("words"),
    clauseFirst: sum("clauseFirst"),
    what: sum("what"),
    that: sum("that"),
    said: sum("said"),
    nobody: sum("nobody"),
  };
}

function testNames(path: string): readonly string[] {
  return testNamesOf(path).map(({ value }) => value);
}

function codeFiles(): readonly string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const views = globSync("console/**/*.tsx", { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  return [...sourceFiles("src", "durable-objects", "console", "scripts"), ...views];
}

function pages(): readonly string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return globSync(["docs/*.md", "docs/design/*.md", "README.md"], { cwd: root }).toSorted();
}

/** Sentences of a page: its prose without code, headings, tables and front matter. */
export function sentencesOf(markdown: string): readonly string[] {
  return markdown
    .replaceAll(/```[\s\S]*?```/g, "\n")
    .split("\n")
    .filter((line) => !/^\s*(?:[#|<]|---)/.test(line))
    .flatMap((line) =>
      line.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").split(/(?<=[.!?:])\s+(?=[A-Z`*[])/),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** `src/journal` of `src/journal/step.ts`; `src` of a file directly in `src`. */
export function roomOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/");
}

function plainText(text: string): string {
  return text
    .replaceAll(/^\s*\*+ ?/gm, "")
    .replaceAll(/```[\s\S]*?```/g, " ")
    .replaceAll(/`[^`]*`/g, "_")
    .replaceAll(/https?:\/\/\S+/g, "_")
    .trim();
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const rooms = proseByRoom();
  const groups = {
    src: /^(?:src|durable-objects)/,
    console: /^console/,
    tests: /^test/,
    docs: /^docs/,
  };
  const sums = Object.entries(groups).map(([name, pattern]) => [
    `all ${name}`,
    sumOf(Object.keys(rooms).flatMap((room) => (pattern.test(room) ? (rooms[room] ?? []) : []))),
  ]);
  const all = Object.entries<Prose>({ ...rooms, ...Object.fromEntries(sums) });
  console.table(
    Object.fromEntries(
      all.map(([room, { texts, words, clauseFirst, what, that, said, nobody }]) => [
        room,
        {
          texts,
          "clause first %": Number(((100 * clauseFirst) / texts).toFixed(1)),
          what: Number(((1000 * what) / words).toFixed(1)),
          that: Number(((1000 * that) / words).toFixed(1)),
          said: Number(((1000 * said) / words).toFixed(1)),
          nobody: Number(((1000 * nobody) / words).toFixed(1)),
        },
      ]),
    ),
  );
}
