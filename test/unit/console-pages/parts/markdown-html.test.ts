// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { markdownToHtml } from "../../../../console/parts/markdown-html.ts";

it("keeps the lines of a letter", () => {
  const page = document.createElement("div");
  page.innerHTML = markdownToHtml("Kind regards\nWriter of a tea shop", "https://crews.example");
  expect(page.querySelectorAll("br")).toHaveLength(1);
});
