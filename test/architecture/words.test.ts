import { describe, expect, it } from "vitest";
import {
  commentsOf,
  lineOf,
  parseSource,
  readSource,
  sourceFiles,
  walk,
} from "../support/source-files.ts";

/** Words that no identifier and no file name contains, with the field's term for each. */
const BANNED_WORDS: Readonly<Record<string, string>> = {
  "at work": "session",
  audience: "subscribers",
  course: "progress, execution or budget",
  debt: "pending delivery",
  debts: "pending deliveries",
  given: "input or options",
  heard: "received",
  kit: "plugin or implementation",
  kits: "plugins or implementations",
  lots: "batches",
  shelf: "index or collection",
  shelved: "indexed",
  shelves: "indexes or collections",
  tally: "counters",
  told: "notified or reported",
};

/** Phrases that no comment contains, with plain English for each. */
const BANNED_PHRASES: Readonly<Record<string, string>> = {
  "at work": "while it runs",
  "goes before": "takes precedence over",
  "in lots": "in batches",
  "is heard": "is received",
  "is told of": "receives",
  "who hears": "the subscriber",
  "who waits": "the person the run waits for",
};

/** Uses that are left in each folder. A number here may only shrink: lower it when a use is gone. */
const REMAINING: Readonly<Record<string, number>> = {
  "src/access": 9, // `audience`: a setting and a claim of Cloudflare Access
  "src/agent": 3, // `tally`: a field of stored steps
  "src/protocols": 11, // `audience`: a claim of OpenID Connect
};

type Use = { readonly path: string; readonly line: number; readonly text: string };

/** `kitOf`, `#SHELF_SIZE` and `tools-at-work.ts` as lower-case words with one space between them. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
}

/** `src/agent` of `src/agent/skills/skill.ts`; `src` of a file that is directly in `src`. */
function folderOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/");
}

function bannedIn(text: string, banned: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(banned).filter((word) => ` ${text} `.includes(` ${word} `));
}

function inNames(path: string, source: string): readonly Use[] {
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
  const uses = bannedIn(wordsOf(fileName), BANNED_WORDS).map((text) => ({ path, line: 0, text }));
  walk(parseSource(path, source), (node) => {
    if (node.type !== "Identifier" && node.type !== "PrivateIdentifier") return;
    for (const word of bannedIn(wordsOf(node.name), BANNED_WORDS))
      uses.push({ path, line: lineOf(source, node), text: `${node.name}: ${word}` });
  });
  return uses;
}

function inComments(path: string, source: string): readonly Use[] {
  return commentsOf(path, source).flatMap(({ value, line }) =>
    bannedIn(wordsOf(value), BANNED_PHRASES).map((text) => ({ path, line, text })),
  );
}

describe("words", () => {
  const files = sourceFiles("src", "durable-objects").map((path) => ({
    path,
    source: readSource(path),
  }));

  it("has no more banned words in names than each folder may still have", () => {
    const uses = files.flatMap(({ path, source }) => inNames(path, source));
    const found = new Map<string, Use[]>();
    for (const use of uses) {
      const folder = folderOf(use.path);
      found.set(folder, [...(found.get(folder) ?? []), use]);
    }
    const counts = Object.fromEntries([...found].map(([folder, { length }]) => [folder, length]));
    const added = [...found].filter(([folder, { length }]) => length > (REMAINING[folder] ?? 0));
    expect(added).toEqual([]);
    // A number that is too high would let a banned word return.
    expect(counts).toEqual(REMAINING);
  });

  it("has no banned phrase in a comment", () => {
    expect(files.flatMap(({ path, source }) => inComments(path, source))).toEqual([]);
  });

  it.each([
    ["src/a/tools-at-work.ts", "", ["at work"]],
    ["src/a/b.ts", "const memoryGiven = 1;", ["memoryGiven: given"]],
    ["src/a/b.ts", "class A { #KIT_SIZE = 1; }", ["KIT_SIZE: kit"]],
    [
      "src/a/b.ts",
      "type SkillShelf = { readonly inLots: true };",
      ["SkillShelf: shelf", "inLots: lots"],
    ],
    ["src/a/toolkit.ts", "const discourse = slots(toolkit);", []],
    ["src/a/b.ts", "const label = 'given in lots';", []],
  ])("in %s, %s has the banned words %j", (path, source, expected) => {
    expect(inNames(path, source).map(({ text }) => text)).toEqual(expected);
  });

  it.each([
    ["/** The first one\n * goes before the second. */", ["goes before"]],
    ["// A person\n// who waits", ["who waits"]],
    ["/* Mathematics at workshops */", []],
    ["const text = 'at work';", []],
  ])("in %s has the banned phrases %j", (source, expected) => {
    expect(inComments("src/a/b.ts", source).map(({ text }) => text)).toEqual(expected);
  });
});
