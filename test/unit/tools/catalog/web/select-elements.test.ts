import { describe, expect, it } from "vitest";
import { selectElements } from "../../../../../src/tools/catalog/web/select-elements.ts";
import { computedMs } from "../../../../support/computed-ms.ts";

const texts = async (selector: string, html: string, attribute?: string) =>
  (await selectElements(html, selector, attribute)).texts;

describe("HEL1: elements by selector", () => {
  it("HEL1: each has its whole text, also within another (W6)", async () => {
    const html = "<div class=a>o <b>t</b></div><div class=a><div class=a>n</div></div>";
    expect(await texts("div.a", html)).toEqual(["o t", "n", "n"]);
  });

  it("support :has, and unknown selectors are refused (W7)", async () => {
    expect(await texts("p:has(b)", "<p>a<p>b <b>c</b><p>d")).toEqual(["b c"]);
    await expect(texts("p:nonsense(b)", "<p>")).rejects.toMatchObject({
      failureCode: "bad_request",
      message: expect.stringMatching(/"p:nonsense\(b\)" is not understood: .*nonsense/),
    });
  });

  it.each([
    ["without end tags", "li", "<ul><li>1<li>2</ul>3", ["1", "2"]],
    ["by their place", "li:nth-child(2)", "<ul><li>1<li>2<li>3</ul>", ["2"]],
    ["at the top by their place", "p:nth-of-type(2)", "<p>1<p>2", ["2"]],
    ["children of a row", "table > tr > td", "<table><tr><td>1<td>2</table>", ["1", "2"]],
    ["after others", "h2 + p, h2 ~ ul", "<h2>a</h2><p>b</p><p>c</p><ul>d</ul>", ["b", "d"]],
    ["not some", "p:not(.x)", "<p class=x>1</p><p>2</p>", ["2"]],
    ["the first and the last", "p:first-child, p:last-child", "<p>1<p>2<p>3", ["1", "3"]],
    ["empty", "p:empty", "<p></p><p>1</p><p><!-- --></p>", ["", ""]],
    [
      "by attribute",
      `a[href^="/a"][title="x & y"]`,
      `<a href="/a/1" title="x &amp; y">1</a><a href=/b>2</a>`,
      ["1"],
    ],
    ["by id, in any case of the tag", "DIV#Main", "<Div id=Main>1</DIV>", ["1"]],
    ["by their text", "p:contains('tea')", "<p>green &#116;ea</p><p>x</p>", ["green tea"]],
    [
      "without scripts and styles",
      "div",
      "<div>a<script>b</script><style>c</style><template><div>d</div></template>e</div>",
      ["ae"],
    ],
    ["scripts themselves", "script", "<script>b</script>", [""]],
    ["words apart", "div", "<div><p>a</p><p>b</p>c<br>d</div>", ["a b c d"]],
    ["void ones", "img", "<p><img src=x>b</p>", [""]],
    ["in drawings", "svg text", "<svg><text>a</text></svg>", ["a"]],
    ["deep down", "p", `${"<div>".repeat(20_000)}<p>x`, ["x"]],
  ])("are found %s", async (...[, selector, html, found]) => {
    expect(await texts(selector, html)).toEqual(found);
  });

  it("have an attribute, when it is set", async () => {
    expect(await texts("a", `<a HREF="?a&amp;b">1</a><a>2</a>`, "href")).toEqual(["?a&b"]);
  });

  it.each([" ", "p[", "::before", ":nth-child(x)", "p".repeat(1_001)])(
    "%j is refused",
    async (selector) => {
      await expect(texts(selector, "<p>")).rejects.toMatchObject({ failureCode: "bad_request" });
    },
  );
});

describe("HEL2: pages and selectors made to be slow", () => {
  it.each([
    ["descendants of descendants", "div div div div p", `${"<div>".repeat(20_000)}<p>x`],
    ["deep :has", "div:has(p.none)", `${"<div>".repeat(20_000)}<p>x`],
    ["siblings of siblings", "p ~ p ~ p ~ p ~ b", "<p></p>".repeat(20_000)],
    ["places among many", "p:nth-last-child(3)", "<p></p>".repeat(50_000)],
    ["many matches in one another", "div", "<div>ab".repeat(50_000)],
  ])("HEL2: %s end, with or without a result", async (_, selector, html) => {
    const began = computedMs();
    const outcome = await texts(selector, html).then(
      () => "found",
      (error: { failureCode?: string }) => error.failureCode,
    );
    expect(["found", "too_large"]).toContain(outcome);
    expect(computedMs() - began).toBeLessThan(15_000);
  });

  it("a page of too many elements is refused", async () => {
    await expect(texts("p", "<p>".repeat(200_001))).rejects.toMatchObject({
      failureCode: "too_large",
    });
  });

  it("too many matches are cut", async () => {
    const { texts: found, isCut } = await selectElements("<p>a".repeat(3_000), "p");
    expect([found.length, isCut]).toEqual([2_000, true]);
  });
});
