// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { markdownToHtml } from "../../../../console/parts/markdown-html.ts";

it("keeps the lines of a letter", () => {
  const page = document.createElement("div");
  page.innerHTML = markdownToHtml("Kind regards\nWriter of a tea shop", "https://crews.example");
  expect(page.querySelectorAll("br")).toHaveLength(1);
});

it("puts headings of texts below those of the page", () => {
  const page = document.createElement("div");
  page.innerHTML = markdownToHtml("Text\n\n# One\n\n## Two\n\n###### Six", "https://crews.example");
  const headings = [...page.querySelectorAll("h1, h2, h3, h4, h5, h6")];
  expect(headings.map(({ localName, textContent }) => `${localName} ${textContent}`)).toEqual([
    "h3 One",
    "h4 Two",
    "h6 Six",
  ]);
});
