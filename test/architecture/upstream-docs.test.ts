import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Upstream = {
  readonly of: string;
  readonly readOn: string;
  /** Paths of pages. */
  readonly pages: readonly string[];
  /** Headings of a page that has a row for each. */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  /** Names that some row has to speak of. */
  readonly required?: readonly string[];
};

/** Headings that say nothing of their own. */
const PROSE = new Set([
  "Overview",
  "Overview of an Agent",
  "Important Considerations and Best Practices",
  "Best Practices",
  "Troubleshooting",
  "Troubleshooting Common Issues",
  "Next Steps",
  "Conclusion",
]);

describe.each([
  {
    page: "docs/crewai-pages.md",
    guide: "docs/coming-from-crewai.md",
    fixture: "crewai",
    least: 280,
  },
  { page: "docs/ag2-pages.md", guide: "docs/coming-from-ag2.md", fixture: "ag2", least: 120 },
])("$page", ({ page, guide, fixture, least }) => {
  const upstream = JSON.parse(
    readFileSync(`${root}/test/fixtures/upstream-docs/${fixture}.json`, "utf8"),
  ) as Upstream;
  const markdown = [page, guide].map((path) => readFileSync(`${root}/${path}`, "utf8")).join("\n");

  it("has a row for each page and heading of the upstream documentation (DO2)", () => {
    expect(upstream.pages.length).toBeGreaterThan(least);
    expect(missingFrom(markdown, upstream)).toEqual([]);
  });

  it("gives the date of the upstream documentation (DO2)", () => {
    expect(markdown).toContain(upstream.readOn);
  });

  it("has the equivalent, a difference and a link in each row (DO2)", () => {
    const wrong = rowsOf(markdown)
      .filter(([first = ""]) => pathsIn(first).some((path) => upstream.pages.includes(path)))
      .filter(
        (cells) => cells.length !== 4 || cells.includes("") || !/\]\(.+\)/.test(cells[3] ?? ""),
      );
    expect(wrong).toEqual([]);
  });

  it("would miss a page, a heading and a name without a row (DO2)", () => {
    const [path = ""] = upstream.pages;
    expect(missingFrom(markdown.replaceAll(`\`${path}\``, "`elsewhere`"), upstream)).toEqual([
      path,
    ]);
    expect(missingFrom(markdown, { ...upstream, required: ["planted_name"] })).toEqual([
      "planted_name",
    ]);
    const sections = { [upstream.pages.at(-1) ?? ""]: ["A planted heading"] };
    expect(missingFrom(markdown, { ...upstream, sections })).toEqual([
      `${upstream.pages.at(-1)}: A planted heading`,
    ]);
  });
});

function missingFrom(
  markdown: string,
  { pages, sections = {}, required = [] }: Upstream,
): string[] {
  const rows = rowsOf(markdown).map(([first = ""]) => first);
  const named = new Set(rows.flatMap(pathsIn));
  const headings = Object.entries(sections).flatMap(([path, all]) => {
    const at = rows.findIndex((row) => pathsIn(row).includes(path));
    const rest = rows.slice(at + 1);
    const end = rest.findIndex((row) => pathsIn(row).some((each) => pages.includes(each)));
    const own = new Set(at < 0 ? [] : rest.slice(0, end < 0 ? rest.length : end));
    return all
      .filter((heading) => !PROSE.has(heading) && !own.has(heading))
      .map((heading) => `${path}: ${heading}`);
  });
  return [
    ...pages.filter((path) => !named.has(path)),
    ...headings,
    ...required.filter((name) => !rows.some((row) => row.includes(name))),
  ];
}

function rowsOf(markdown: string): (readonly string[])[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function pathsIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, path = ""]) => path);
}
