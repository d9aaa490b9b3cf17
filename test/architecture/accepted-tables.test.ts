import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ACCEPTED, fillAccepted } from "../world/accepted-tables.ts";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const PAGES = globSync("*.md", { cwd: docs });

it("shows every accepted difference on a page, as the rows are now", async () => {
  const texts = PAGES.map((page) => ({ page, text: readFileSync(`${docs}/${page}`, "utf8") }));
  const filled = await Promise.all(texts.map(async ({ text }) => fillAccepted(text)));
  expect(texts.filter(({ text }, at) => text !== filled[at]).map(({ page }) => page)).toEqual([]);
  const shown = texts.flatMap(({ text }) =>
    Array.from(text.matchAll(/<!-- rows (\S+) -->/g), ([, name]) => name),
  );
  expect(new Set(shown)).toEqual(new Set(Object.keys(ACCEPTED)));
  expect(shown).toHaveLength(Object.keys(ACCEPTED).length);
});

it("gives every row an id of its own, both behaviours and an existing page", async () => {
  for (const load of Object.values(ACCEPTED)) {
    const rows = await load();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const poor = rows.filter(({ upstream, ours }) => upstream.length < 10 || ours.length < 5);
    expect(poor.map(({ id }) => id)).toEqual([]);
    const lost = rows.filter(({ page }) => !existsSync(`${docs}/${page.replace(/#.*/, "")}`));
    expect(lost.map(({ id, page }) => `${id}: ${page}`)).toEqual([]);
  }
});

it("refuses a table without rows of its name", async () => {
  await expect(fillAccepted("<!-- rows nobody -->\n<!-- /rows -->")).rejects.toThrow("nobody");
  expect(await fillAccepted("no table")).toBe("no table");
});
