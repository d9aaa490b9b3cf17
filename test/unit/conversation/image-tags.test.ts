import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../../src/base/json.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { imageParts } from "../../../src/conversation/image-tags.ts";
import { computedMs } from "../../support/computed-ms.ts";

/** The text with each image as `[its address]`. */
function shown(text: string): string {
  const parts = imageParts(text) ?? [{ type: "text", text }];
  return parts
    .map((part) =>
      part.type === "text"
        ? contentText([part])
        : `[${["url", "mediaType", "data"]
            .map((key) => jsonText(part[key]))
            .join(" ")
            .trim()}]`,
    )
    .join("");
}

describe("IMG1: image tags", () => {
  it.each([
    ["What is in <img https://a.test/cat.png>?", "What is in [https://a.test/cat.png]?"],
    [
      "<img http://a.test/1.png> or <IMG https://a.test/2>",
      "[http://a.test/1.png][https://a.test/2]",
    ],
    ['<img src="https://a.test/x.png" alt="a > b"/> here', "[https://a.test/x.png] here"],
    ["<img alt='src=\"https://no.test\"' src = https://a.test/y >", "[https://a.test/y]"],
    [
      '<img data-src="https://no.test/" src="https://a.test/?a=1&amp;b=2">',
      "[https://a.test/?a=1&b=2]",
    ],
    ['<img "https://a.test/q.png">', "[https://a.test/q.png]"],
    ["<img data:image/png;base64,iVBORw0KGgo=>", "[image/png iVBORw0KGgo=]"],
  ])("in %j", (text, expected) => {
    expect(shown(text).replace("] or [", "][")).toBe(expected);
  });

  it("as parts, with the text between them", () => {
    expect(imageParts("Compare <img https://a.test/1> with\n<img https://a.test/2>\n")).toEqual([
      { type: "text", text: "Compare " },
      { type: "image", url: "https://a.test/1" },
      { type: "text", text: " with\n" },
      { type: "image", url: "https://a.test/2" },
    ]);
    expect(imageParts("no image")).toBeUndefined();
  });

  it("but none of a refused address", () => {
    const text = "<img https://a.test/1> <img https://b.test/2>";
    expect(imageParts(text, ({ hostname }) => hostname === "a.test")).toEqual([
      { type: "image", url: "https://a.test/1" },
      { type: "text", text: " <img https://b.test/2>" },
    ]);
  });
});

/** As people wrote them in public repositories: in prompts, pages and notes. */
describe("IMG1, IMG2: tags at their places", () => {
  it.each([
    [
      "Describe this AutoGen framework <img https://raw.githubusercontent.com/microsoft/autogen/main/website/static/img/autogen_agentchat.png> with bullet points.",
      [
        "https://raw.githubusercontent.com/microsoft/autogen/main/website/static/img/autogen_agentchat.png",
      ],
    ],
    [
      "What is this breed?\n<img https://th.bing.com/th/id/OIP.29Mi2kJmcHHyQVGe_0NG7QHaEo?pid=ImgDet&rs=1>\n\nAmong the breeds, which one barks less?",
      ["https://th.bing.com/th/id/OIP.29Mi2kJmcHHyQVGe_0NG7QHaEo?pid=ImgDet&rs=1"],
    ],
    [
      "a true archaeological site. <img https://www.google.com/url?sa=i&url=https%3A%2F%2Fwww.gearthblog.com%2F2010&ved=0CBQQjRxqFwoTCJijgoOOy40DFQAAAAAdAAAAABAX>.",
      [
        "https://www.google.com/url?sa=i&url=https%3A%2F%2Fwww.gearthblog.com%2F2010&ved=0CBQQjRxqFwoTCJijgoOOy40DFQAAAAAdAAAAABAX",
      ],
    ],
    [
      'default.\n:  <br/>\n<img https://imgur.com/a/xAxQwnK"/>\n<br />',
      ["https://imgur.com/a/xAxQwnK"],
    ],
    [
      '<p align="center">\n<img https://github.com/x/y/blob/master/Screenshot.png >\n</p>',
      ["https://github.com/x/y/blob/master/Screenshot.png"],
    ],
    [
      "packshot <img https://yxma.supabase.co/galeria/keep2-packshot-pink.webp width/height 600x600,\nmax-width 300px> z .sig",
      ["https://yxma.supabase.co/galeria/keep2-packshot-pink.webp"],
    ],
    [
      '<div align="center">\n  <img id="badge" src="https://david-dm.org/starter.svg" alt="badge" class="" data-reactid="68">\n</div>',
      ["https://david-dm.org/starter.svg"],
    ],
    [
      '<img\n      src="https://colab.research.google.com/assets/colab-badge.svg"\n      alt="Open in Colab"\n      style={{ height: "20px", pointerEvents: "none" }}\n    />',
      ["https://colab.research.google.com/assets/colab-badge.svg"],
    ],
    [
      "`<script>`, `<img src=x onerror=…>`, a `<form>`, a remote `<img https://…>`, an inline table",
      [],
    ],
    ['Check /tmp: <img my_image.jpg> and <img src="./figs/a.png">', []],
  ])("%j", (text, urls) => {
    const images = (imageParts(text) ?? []).filter(({ type }) => type === "image");
    expect(images.map(({ url }) => url)).toEqual(urls);
  });
});

describe("IMG2: texts without tags", () => {
  it.each([
    "<img src=photo.png> <img file:///etc/passwd> <img ftp://a.test/x> <img javascript:alert(1)>",
    "<img https://a.test/x.png and no end",
    "<img> <image https://a.test/x.png> <img >",
    "Write `<img https://a.test/x.png>` in your page.",
    "``a ` <img https://a.test/x.png>``",
    "```html\n<img https://a.test/x.png>\n```",
    "~~~\n<img https://a.test/x.png>\n```\n",
    "<img data:text/html;base64,AAAA> <img data:image/png,raw>",
  ])("%j", (text) => {
    expect(imageParts(text)).toBeUndefined();
  });

  it("include code, but not the text after it", () => {
    const after = "`a` <img https://a.test/1> ```\n<img https://a.test/2>\n";
    expect(shown(after)).toBe("`a` [https://a.test/1] ```\n[https://a.test/2]");
    expect(shown("```\nx\n```\n<img https://a.test/3>")).toBe("```\nx\n```\n[https://a.test/3]");
    expect(shown("a ` alone <img https://a.test/4>")).toBe("a ` alone [https://a.test/4]");
  });
});

describe("IMG3: the running time", () => {
  it.each([
    "<img ",
    '<img "',
    `<img "a'`,
    "<img https://a",
    "<img ='",
    "`<img ``",
    "<img https://a.test/x> `",
    '<img a="" ',
  ])("grows with the text: %j, many times", (piece) => {
    const time = (count: number): number => {
      const text = piece.repeat(count);
      const start = computedMs();
      imageParts(text);
      return computedMs() - start;
    };
    time(1_000);
    const [short, long] = [Math.max(2, time(10_000)), time(80_000)];
    expect(long / short).toBeLessThan(40);
  });

  it("ends for any text, without losing a character", () => {
    const pieces = fc.constantFrom(
      "<img ",
      "https://a.test/x",
      '"',
      "'",
      ">",
      "`",
      "```\n",
      "src=",
      " ",
      "é",
      "/>",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (list) => {
        const text = list.join("");
        const words = (imageParts(text) ?? [{ type: "text", text }])
          .flatMap((part) => (part.type === "text" ? [contentText([part])] : []))
          .join("");
        let at = 0;
        for (const character of words) at = text.indexOf(character, at) + 1;
        expect(at > 0 || words === "").toBe(true);
      }),
    );
  });
});
