// Pages are read in workerd as they are in Node.
import { describe, expect, it } from "vitest";
import { readBytes } from "../../src/tools/catalog/base/read-answer.ts";
import { selectElements } from "../../src/tools/catalog/web/select-elements.ts";
import { decodeHtml } from "../../src/knowledge/readers/decode-text.ts";
import { htmlText } from "../../src/knowledge/readers/html-text.ts";
import { ReadingWork } from "../../src/knowledge/readers/reading-work.ts";

const textOf = async (html: string): Promise<string> => {
  const options = { maxCharacters: 1_000_000, isTight: true };
  return (await htmlText(html, options, new ReadingWork("page"))).text;
};

describe("pages in workerd", () => {
  it("are their text (W4, W5)", async () => {
    const html = "<p>a &amp; b</p><script>x</script><p hidden>h</p><ul><li>1<li>2</ul>";
    expect(await textOf(html)).toBe("a & b\n- 1\n- 2");
    expect(await textOf(`${"<div>".repeat(20_000)}x`)).toBe("x");
  });

  it("have elements, also without end tags, and selectors of every kind (W6, W7)", async () => {
    const html = "<div class=a>o <b>t</b></div><div class=a><div class=a>n</div></div>";
    expect((await selectElements(html, "div.a")).texts).toEqual(["o t", "n", "n"]);
    expect((await selectElements("<ul><li>1<li>2 <b>x</b></ul>", "ul > li:has(b)")).texts).toEqual([
      "2 x",
    ]);
    await expect(selectElements(html, "p:nonsense(b)")).rejects.toMatchObject({
      failureCode: "bad_request",
    });
  });

  it.each([
    ["shift_jis", [0x83, 0x65], "テ"],
    ["windows-1251", [0xcf], "П"],
    ["gbk", [0xc4, 0xe3], "你"],
    ["nonsense", [0xc3, 0xbc], "ü"],
  ] as const)("are decoded from %s", (label, bytes, text) => {
    expect(decodeHtml(new Uint8Array(bytes), `text/html; charset=${label}`)).toBe(text);
  });

  it("of 100 MB in a few bytes are not unpacked", async () => {
    const piece = new Uint8Array(1 << 20);
    let pieces = 0;
    const zeros = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pieces++ < 100) controller.enqueue(piece);
        else controller.close();
      },
    });
    const packed = await new Response(
      zeros.pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer();
    expect(packed.byteLength).toBeLessThan(200_000);
    // As the network hands it over: the length of what came, and a body that is unpacked while it is read.
    const body = new Response(packed).body?.pipeThrough(new DecompressionStream("gzip"));
    const answer = new Response(body ?? null, {
      headers: { "content-length": String(packed.byteLength) },
    });
    await expect(readBytes(answer, 5 << 20)).rejects.toMatchObject({ failureCode: "too_large" });
  });
});
