import { describe, expect, it } from "vitest";
import { htmlText, type HtmlTextOptions } from "../../../../src/knowledge/readers/html-text.ts";
import { ReadingWork } from "../../../../src/knowledge/readers/reading-work.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const whole = (html: string, options: Partial<HtmlTextOptions> = {}) =>
  htmlText(html, { maxCharacters: 1_000_000, isTight: true, ...options }, new ReadingWork("page"));
const textOf = async (html: string, options: Partial<HtmlTextOptions> = {}): Promise<string> =>
  (await whole(html, options)).text;

describe("the shown text of a page", () => {
  it("has the text without hidden parts (W4)", async () => {
    expect(
      await textOf("<p>a &amp; b</p><script>x</script><p hidden>h</p><ul><li>1<li>2</ul>"),
    ).toBe("a & b\n- 1\n- 2");
  });

  it("is there, however deep (W5)", async () => {
    expect(await textOf(`${"<div>".repeat(20_000)}x`)).toBe("x");
  });

  it.each([
    ["blocks on lines of their own", "<div>a<p>b</p>c</div>d<br>e", "a\nb\nc\nd\ne"],
    ["headings", "<h1>a</h1><h6>b</h6>", "# a\n###### b"],
    ["cells", "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n1 | 2"],
    ["numbers of items", "<ol><li>a<li>b</ol>", "1. a\n2. b"],
    ["numbers from a start", "<ol start=3><li>a<li value=9>b<li>c</ol>", "3. a\n9. b\n10. c"],
    ["numbers that count down", "<ol reversed start=2><li>a<li>b</ol>", "2. a\n1. b"],
    ["no numbers without a known start", "<ol reversed><li>a</ol>", "- a"],
    [
      "letters and Roman numerals",
      "<ol type=a start=26><li>a<li>b</ol><ol type=I start=4><li>c</ol>",
      "z. a\naa. b\nIV. c",
    ],
    [
      "cells over several rows in each row",
      "<table><tr><td rowspan=2>North<td>1<tr><td>2<tr><td>South<td>3</table>",
      "North | 1\nNorth | 2\nSouth | 3",
    ],
    [
      "cells over several columns as one cell and empty ones",
      "<table><tr><td colspan=2>both<td>c<tr><td>1<td rowspan=0>2<td>3<tr><td>4<td>5</table>",
      "both | | c\n1 | 2 | 3\n4 | 2 | 5",
    ],
    [
      "a cell over the last rows, and tables within cells",
      "<table><tr><td>a<td rowspan=2>b<tr><td>c</table><table><tr><td rowspan=2>x<td><table><tr><td>1<td>2</table><tr><td>y</table>",
      "a | b\nc | b\nx |\n1 | 2\nx | y",
    ],
    [
      "readings of characters once, after the word",
      "<ruby>漢<rp>(</rp><rt>かん</rt></ruby><ruby>字<rt>じ</ruby>です。<ruby>振<rt>ふ</rt>仮名<rt>がな</rt></ruby>",
      "漢字(かんじ)です。振仮名(ふがな)",
    ],
    [
      "formulas as TeX, or else as their signs",
      '<math alttext="x^2"><mi>x</mi></math> <math><mi>E</mi><annotation encoding="application/x-tex">E=mc^2</annotation></math> <math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math>',
      "x^2 E=mc^2 a/b^2",
    ],
    [
      "details and definitions",
      "<details><summary>s</summary>d</details><dl><dt>t<dd>u</dl>",
      "s\nd\nt\nu",
    ],
    ["code with its spaces", "<pre>a\n\n\n  b</pre>", "```\na\n\n\n  b\n```"],
    ["white space as one space", "a \n\t b\n c", "a b c"],
    ["references of every form", "&lt;&#65;&#x42;&hellip;&notin;&copy2026", "<AB…∉©2026"],
    ["unknown references", "&#0;&#xD800;&#x110000;&nosuch;", "\u{fffd}\u{fffd}\u{fffd}&nosuch;"],
    ["no NUL", "a\0b", "ab"],
  ])("has %s", async (_, html, text) => {
    expect(await textOf(html)).toBe(text);
  });

  it("has images on request", async () => {
    const html = `<img alt="a &quot;cup&quot;"><img alt=""><img src=x>`;
    expect(await textOf(html, { images: true })).toBe('[image: a "cup"]');
    expect(await textOf(html)).toBe("");
  });

  it("has the addresses of links on request", async () => {
    const html = `<a href="/x?a=1&amp;b=2">one</a> <a href="#top">two</a> <a>three</a> <a href="javascript:go()">four</a> <a href="http://[">five</a>`;
    expect(await textOf(html, { linksFrom: new URL("https://a.example/y/") })).toBe(
      "one (https://a.example/x?a=1&b=2) two three four five",
    );
    expect(await textOf(html)).toBe("one two three four five");
  });

  it("has the title and a mark for scripts", async () => {
    expect(
      await whole("<title>A &amp;\n b</title><title>c</title><script></script>d"),
    ).toMatchObject({
      text: "d",
      title: "A & b",
      hasScripts: true,
      isCut: false,
    });
    expect(await whole("d")).toEqual({ text: "d", hasScripts: false, isCut: false });
    expect((await whole("<svg><title>x</title></svg><title>y</title>")).title).toBe("y");
  });
});

describe("LOS2: the report of a page", () => {
  const report = async (html: string): Promise<readonly string[]> =>
    ((await whole(html, { withoutControls: true, images: true })).losses ?? []).map(
      ({ detail }) => detail,
    );

  it.each([
    [
      "pictures without text",
      "<img src=/a/b.png><img alt=''><img alt=x>",
      "1 picture without text: b.png",
    ],
    ["hidden texts", "<p hidden>h</p><p style='display:none'></p>", "1 hidden text, left out: h"],
    ["menus", "<nav>menu</nav><button></button>", "1 menu, control or footer, left out: menu"],
    ["frames", "<iframe src=/x/y.html></iframe>", "1 frame with another page: y.html"],
    ["sounds and videos", "<video src=v.mp4></video>", "1 sound or video: v.mp4"],
    ["files", "<embed src=a.pdf><object data=b.pdf></object>", "2 embedded files: a.pdf, b.pdf"],
    [
      "drawings with labels",
      "<svg><title>t</title><path/></svg><svg><text>Q1 sales</text></svg>",
      "1 drawing without text: Q1 sales",
    ],
    [
      "pages that scripts make",
      "<div id=root></div><script src=x></script>",
      "1 part that a script may make",
    ],
  ])("names %s", async (_, html, detail) => {
    expect(await report(html)).toEqual([detail]);
  });

  it("has no entry for a plain page with a script", async () => {
    expect(await report(`<p>${"word ".repeat(100)}</p><script>x</script><style>y</style>`)).toEqual(
      [],
    );
  });
});

describe("HTX1: hidden content", () => {
  it.each([
    "<script>h</script>",
    "<style>h</style>",
    "<noscript>h</noscript>",
    "<template><p>h</template>",
    "<svg><text>h</text></svg>",
    "<math><annotation-xml>h</annotation-xml></math>",
    "<iframe>h</iframe>",
    "<object>h</object>",
    "<canvas>h</canvas>",
    "<head><style>h</style></head>",
    "<!-- h -->",
    "<p hidden>h</p>",
    "<p hidden=until-found>h</p>",
    "<p HIDDEN>h<b>h</b></p>",
    `<div aria-hidden="TRUE">h<div>h</div>h</div>`,
    `<p style="color:red; display : none">h</p>`,
    `<p style="visibility:hidden!important">h</p>`,
    `<p style='font-size:0px'>h</p>`,
    `<p style='font-size:0.0em'>h</p>`,
    `<p style="display&colon;none">h</p>`,
    "<ul><li hidden>h<li>x</ul>",
    "<p hidden>h<div>x</div>",
    "<script>h",
    "<img hidden alt=h>",
  ])("HTX1: %s is not read", async (html) => {
    const text = await textOf(`a ${html.endsWith("</ul>") ? html : `${html} `}`, { images: true });
    expect(text).not.toContain("h");
    expect(text).toMatch(/^a/);
  });

  it.each([
    `<p aria-hidden="false">v</p>`,
    `<p style="font-size:0.8em">v</p>`,
    `<p style="background-display:none-such">v</p>`,
    `<p data-hidden title="hidden">v</p>`,
    `<input hidden>v`,
    `<p hidden></p>v`,
  ])("reads %s", async (html) => {
    expect(await textOf(html)).toBe("v");
  });
});

describe("the main part", () => {
  const long = "word ".repeat(50).trim();

  it.each([
    ["the first main", `a<main>${long}</main><main>b</main>c`, long],
    ["an article, where main is short", `a<main>b</main><article>${long}</article>c`, long],
    ["the whole page, where all is short", "a<main>b</main><article>c</article>", "a\nb\nc"],
    ["an endless main", `a<main>${long}`, long],
  ])("is %s", async (_, html, text) => {
    expect(await textOf(html, { main: "first" })).toBe(text);
    expect(await textOf(html)).toContain("a\n");
  });
});

describe("HTX2: long pages", () => {
  it("HTX2: let others run", async () => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    await textOf("<p>word</p>".repeat(400_000), { maxCharacters: 3_000_000 });
    clearInterval(others);
    expect(turns).toBeGreaterThan(2);
  });

  it("end when they are cut, or fail", async () => {
    const html = "<p>word</p>".repeat(1_000);
    const cut = await whole(html, { maxCharacters: 100, cuts: true });
    expect(cut).toMatchObject({ isCut: true });
    expect(cut.text).toBe("word\n".repeat(20));
    await expect(whole(html, { maxCharacters: 100 })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
  });

  it("are not read on when they are cut", async () => {
    const html = "<p>word</p>".repeat(1_000_000);
    const began = computedMs();
    await whole(html, { maxCharacters: 1_000, cuts: true });
    expect(computedMs() - began).toBeLessThan(100);
  });
});
