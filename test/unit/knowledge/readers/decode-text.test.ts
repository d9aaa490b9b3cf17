import { describe, expect, it } from "vitest";
import { decodeHtml } from "../../../../src/knowledge/readers/decode-text.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (each) => each.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the encoding of a page", () => {
  it.each<readonly [string, Uint8Array, string, string]>([
    ["UTF-8 by default", utf8("Grüße"), "text/html", "Grüße"],
    ["its media type's", latin1("Gr\u00fc\u00dfe"), 'text/html; charset="ISO-8859-1"', "Grüße"],
    [
      "its meta's",
      latin1("<meta charset=windows-1252>\u0093x\u0094"),
      "",
      "<meta charset=windows-1252>“x”",
    ],
    [
      "its older meta's",
      latin1(`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\u00cf`),
      "text/html",
      `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">П`,
    ],
    [
      "its media type's before its meta's",
      utf8("<meta charset=latin1>ü"),
      "text/html;charset=utf-8",
      "<meta charset=latin1>ü",
    ],
    [
      "its mark before all",
      new Uint8Array([0xef, 0xbb, 0xbf, ...utf8("ü")]),
      "text/html; charset=latin1",
      "ü",
    ],
    ["UTF-16 with a mark", new Uint8Array([0xff, 0xfe, 0xfc, 0x00]), "", "ü"],
    ["UTF-16 the other way round", new Uint8Array([0xfe, 0xff, 0x00, 0xfc]), "", "ü"],
    [
      "UTF-8, where its meta says UTF-16",
      utf8("<meta charset=utf-16le>ü"),
      "",
      "<meta charset=utf-16le>ü",
    ],
    [
      "UTF-8 for an unknown name",
      utf8("<meta charset=nonsense>ü"),
      "text/html; charset=klingon",
      "<meta charset=nonsense>ü",
    ],
    ["Shift_JIS", new Uint8Array([0x83, 0x65, 0x83, 0x58]), "text/html; charset=Shift_JIS", "テス"],
  ])("is %s", (...[, bytes, type, text]) => {
    expect(decodeHtml(bytes, type)).toBe(text);
  });

  it("makes invalid bytes replacement characters", () => {
    expect(decodeHtml(new Uint8Array([0x61, 0xff, 0x62]), "text/html; charset=utf-8")).toBe(
      "a\u{fffd}b",
    );
  });

  it("is looked for at the beginning alone", () => {
    const html = `${" ".repeat(1024)}<meta charset=latin1>`;
    expect(decodeHtml(utf8(`${html}ü`))).toBe(`${html}ü`);
  });
});
