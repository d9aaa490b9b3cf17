import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { isAsShown, projectBlocksOf } from "../support/doc-project.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = globSync("docs/*.md", { cwd: root });

it("shows files as they are: each block with `file=` equals its file (DO1)", () => {
  const blocks = PAGES.flatMap((page) =>
    projectBlocksOf(`${root}/${page}`).flatMap((block) =>
      block.kind === "file" ? [{ page, ...block }] : [],
    ),
  );
  expect(blocks.length).toBeGreaterThan(5);
  const different = blocks.filter(
    ({ path, text }) =>
      !existsSync(`${root}/${path}`) || readFileSync(`${root}/${path}`, "utf8") !== text,
  );
  expect(different.map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
});

it("shows every file of examples/start on a page (DO1)", () => {
  const shown = PAGES.flatMap((page) =>
    projectBlocksOf(`${root}/${page}`).flatMap((block) =>
      block.kind === "file" ? [block.path] : [],
    ),
  );
  const files = globSync("examples/start/**/*.*", { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  expect(files.toSorted()).toEqual(shown.toSorted());
});

it("names every page in docs/README.md, once", () => {
  const index = readFileSync(`${root}/docs/README.md`, "utf8");
  const missing = PAGES.filter((page) => page !== "docs/README.md").filter(
    (page) => !index.includes(`(${page.slice("docs/".length)})`),
  );
  expect(missing).toEqual([]);
});

it("compares the printed output with the page (DO1)", () => {
  expect(isAsShown("a  b\nc\n", "a b\nc\n")).toBe(true);
  expect(isAsShown("first\nmiddle\nlast\n", "first\n…\nlast\n")).toBe(true);
  expect(isAsShown("first\nother\n", "first\n…\nlast\n")).toBe(false);
  expect(isAsShown("more\nfirst\n", "first\n")).toBe(false);
});
