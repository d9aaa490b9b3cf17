// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { markdownToHtml } from "../../../../console/parts/markdown-html.ts";
import { isSecretName, showBidi, stripAnsi } from "../../../../console/parts/plain-text.ts";

const ORIGIN = "https://crews.example";
const html = (text: string): string => markdownToHtml(text, ORIGIN);

describe("Markdown from outside", () => {
  it("shows HTML as text (CO32)", () => {
    const shown = html(
      'a <script>alert(1)</script> <img src=x onerror=alert(1)> <svg onload="alert(1)"></svg>\n\n<form><input></form>',
    );
    const page = document.createElement("div");
    page.innerHTML = shown;
    expect(
      page.querySelectorAll("script, img, svg, form, iframe, style, [onerror], [onload]"),
    ).toHaveLength(0);
    expect(page.textContent).toContain("<script>alert(1)</script>");
  });

  it("has no links with code or data (CO32)", () => {
    const shown = html(
      "[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](JaVaScRiPt:x) <javascript:alert(2)>",
    );
    const page = document.createElement("div");
    page.innerHTML = shown;
    expect(
      [...page.querySelectorAll("a")].map((link) => link.getAttribute("href")).filter(Boolean),
    ).toEqual([]);
  });

  it("marks external links, and hides the referrer", () => {
    const page = document.createElement("div");
    page.innerHTML = html(
      "[out](https://elsewhere.example/x) [in](/docs) [sly](//elsewhere.example)",
    );
    const links = [...page.querySelectorAll("a")].map((link) => [
      link.textContent,
      link.hasAttribute("data-leaves"),
      link.getAttribute("rel"),
    ]);
    expect(links[0]).toEqual(["out", true, "noopener noreferrer nofollow"]);
    expect(links[1]).toEqual(["in", false, "noopener noreferrer nofollow"]);
    expect(page.innerHTML).not.toContain('href="//elsewhere');
  });

  it("shows the address of a picture instead of loading it", () => {
    const shown = html("![chart](https://tracker.example/p.png?who=me)");
    expect(shown).not.toContain("<img");
    expect(shown).toContain("https://tracker.example/p.png?who=me");
  });

  it("keeps tables, lists and code", () => {
    expect(html("x\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- x\n\n`y`")).toMatch(
      /<table>[\s\S]*<ul>[\s\S]*<code>y<\/code>/,
    );
  });
});

it("removes terminal codes and invisible characters from texts", () => {
  expect(stripAnsi("\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u0000b\tc\n")).toBe("red ab\tc\n");
});

it("shows characters for text direction", () => {
  expect(showBidi("abc\u202Etxt.exe")).toEqual([
    { text: "abc", isControl: false },
    { text: "U+202E", isControl: true },
    { text: "txt.exe", isControl: false },
  ]);
  expect(["apiKey", "access_token", "PASSWORD", "topic"].map(isSecretName)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it("keeps the line breaks of a letter", () => {
  const page = document.createElement("div");
  page.innerHTML = html("Kind regards\nWriter of a tea shop");
  expect(page.innerHTML).toContain("Kind regards<br>Writer of a tea shop");
});
