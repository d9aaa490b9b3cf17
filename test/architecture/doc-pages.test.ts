import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pathInProject, projectBlocksOf } from "../support/doc-project.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Pages in docs/decisions are never rewritten. */
const PAGES = ["README.md", "CHANGELOG.md", ...globSync("docs/{,design/}*.md", { cwd: root })];

/** The names of the files that design pages speak of. */
const FILES = new Set(
  globSync("{src,test,durable-objects}/**/*.ts", { cwd: root }).map((path) => basename(path)),
);

/** Household words for things that the field has a term for; see docs/contributing.md. */
const BANNED =
  /\b(anew|at work|audience|course|debts?|given|heard|hearers?|kit|lots|owed?|owes|shelf|told|whoever)\b/i;

it("finds the pages", () => {
  expect(PAGES.length).toBeGreaterThan(35);
});

it.each(PAGES)("links of %s lead somewhere (DO2)", (page) => {
  const broken = Array.from(prose(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
    .filter((target) => !target.startsWith("http"))
    .filter((target) => !leadsSomewhere(page, target));
  expect(broken).toEqual([]);
});

it("would find a missing page, anchor and file (DO2)", () => {
  expect(leadsSomewhere("docs/crews.md", "agents.md#planning")).toBe(true);
  expect(leadsSomewhere("docs/crews.md", "agents.md#planted-anchor")).toBe(false);
  expect(leadsSomewhere("docs/crews.md", "planted-page.md")).toBe(false);
  expect(leadsSomewhere("docs/crews.md", "#planted-anchor")).toBe(false);
});

it.each(PAGES)("files in %s exist", (page) => {
  const named = Array.from(prose(page).matchAll(/`([\w./-]+)`/g), ([, name = ""]) => name);
  const paths = named.filter((name) => /^(src|test|durable-objects|migrations)\//.test(name));
  const files = page.startsWith("docs/design/")
    ? named.filter((name) => /^[a-z0-9-]+(\.test|\.suite)?\.ts$/.test(name))
    : [];
  const readers = new Set(
    projectBlocksOf(join(root, page)).map((block) =>
      block.kind === "file" ? pathInProject(block.path) : "",
    ),
  );
  expect([
    ...paths.filter((path) => !existsSync(join(root, path)) && !readers.has(path)),
    ...files.filter((file) => !FILES.has(file)),
  ]).toEqual([]);
});

it.each(PAGES)("%s is written in the field's terms", (page) => {
  const lines = withoutCode(prose(page)).split("\n");
  expect(lines.filter((line) => BANNED.test(line))).toEqual([]);
});

it.each(PAGES.filter((page) => page.startsWith("docs/") && !isReference(page)))(
  "%s has at most 2,000 words beside its code",
  (page) => {
    expect(prose(page).split(/\s+/).length).toBeLessThanOrEqual(2_000);
  },
);

it("counts the words of guides, not of tables to look things up in", () => {
  expect(isReference("docs/reference-events.md")).toBe(true);
  expect(isReference("docs/crewai-names.md")).toBe(true);
  expect(isReference("docs/events.md")).toBe(false);
});

it.each(PAGES)("%s has one sentence a line", (page) => {
  const lines = withoutCode(prose(page)).split("\n");
  const sentences = lines.filter((line) => !line.startsWith("|") && !/\*\* /.test(line));
  expect(sentences.filter((line) => /[a-z)]\. [A-Z]/.test(line))).toEqual([]);
});

/** Lists to look things up in, and pages of the design. */
function isReference(page: string): boolean {
  return (
    /\/(reference-.*|.*-(names|pages|differences)|providers|coming-from-.*)\.md$/.test(page) ||
    page.startsWith("docs/design/")
  );
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

/** As GitHub makes them of the headings. */
function anchorsOf(page: string): string[] {
  return Array.from(prose(page).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function prose(page: string): string {
  return readFileSync(join(root, page), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/`[^`\n]*`/g, "``");
}
