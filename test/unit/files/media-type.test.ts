import { fileTypeFromBuffer } from "file-type";
import { strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { fileFacts } from "../../../src/files/detection/file-facts.ts";
import { kindOf } from "../../../src/files/detection/kind-of.ts";
import { endingOf, plainType, typeOfName } from "../../../src/files/detection/extensions.ts";
import { mediaTypeOf } from "../../../src/files/detection/media-type.ts";
import {
  big,
  bytesOf,
  docxBytes,
  ftyp,
  jpegBytes,
  little,
  mp3Bytes,
  mp4Bytes,
  pdfBytes,
  pngBytes,
  waveBytes,
  zipBytes,
} from "../../support/sample-files.ts";

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Our names for what the oracle calls otherwise. */
const ORACLE_NAMES: Readonly<Record<string, string>> = {
  "audio/x-m4a": "audio/mp4",
  "audio/ogg; codecs=opus": "audio/opus",
  "video/vnd.avi": "video/x-msvideo",
  "video/matroska": "video/x-matroska",
  "application/vnd.ms-asf": "video/x-ms-asf",
  "video/MP1S": "video/mpeg",
  "video/MP2P": "video/mpeg",
};

const bmp = bytesOf(
  "BM",
  little(70),
  little(0),
  little(54),
  little(40),
  little(4),
  little(-3 >>> 0),
  new Uint8Array(44),
);
const ogg = (codec: string) =>
  bytesOf("OggS", [0, 2], new Uint8Array(20), [1, codec.length], codec, new Uint8Array(30));
const ebml = (type: string) =>
  bytesOf(
    [0x1a, 0x45, 0xdf, 0xa3, 0x80 + 3 + type.length],
    [0x42, 0x82, 0x80 + type.length],
    type,
    new Uint8Array(40),
  );

const BINARY: readonly (readonly [what: string, type: string, bytes: Uint8Array])[] = [
  ["PNG", "image/png", pngBytes(3, 2)],
  ["JPEG", "image/jpeg", jpegBytes(3, 2)],
  ["GIF", "image/gif", bytesOf("GIF89a", little(3, 2), little(2, 2), new Uint8Array(20))],
  ["bitmap", "image/bmp", bmp],
  ["WEBP", "image/webp", bytesOf("RIFF", little(30), "WEBPVP8X", little(10), new Uint8Array(20))],
  [
    "TIFF, Intel's order",
    "image/tiff",
    bytesOf("II*\0", little(8), little(0, 2), new Uint8Array(30)),
  ],
  ["TIFF, Motorola's order", "image/tiff", bytesOf("MM\0*", big(8), big(0, 2), new Uint8Array(30))],
  ["WAV", "audio/wav", waveBytes(1)],
  ["AVI", "video/x-msvideo", bytesOf("RIFF", little(60), "AVI LIST", new Uint8Array(60))],
  ["M4A", "audio/mp4", mp4Bytes("M4A ", 2)],
  ["QuickTime", "video/quicktime", mp4Bytes("qt  ", 2)],
  ["HEIC", "image/heic", bytesOf(ftyp("heic", "mif1", "heic"), new Uint8Array(40))],
  ["HEIF", "image/heif", bytesOf(ftyp("mif1", "mif1"), new Uint8Array(40))],
  ["AVIF", "image/avif", bytesOf(ftyp("avif", "mif1"), new Uint8Array(40))],
  ["MP4", "video/mp4", mp4Bytes("isom", 2)],
  ["MP4 of another brand", "video/mp4", mp4Bytes("mp42", 2)],
  ["PDF", "application/pdf", pdfBytes(1)],
  ["MP3", "audio/mpeg", mp3Bytes(3)],
  ["MP3 with a tag", "audio/mpeg", mp3Bytes(3, { tag: true })],
  ["FLAC", "audio/flac", bytesOf("fLaC", new Uint8Array(40))],
  ["Ogg", "audio/ogg", ogg("\u0001vorbis")],
  ["Opus", "audio/opus", ogg("OpusHead")],
  ["AAC", "audio/aac", bytesOf([0xff, 0xf1, 0x50, 0x80, 0x0a, 0x7f, 0xfc], new Uint8Array(40))],
  ["AIFF", "audio/aiff", bytesOf("FORM", big(40), "AIFFCOMM", new Uint8Array(40))],
  ["WebM", "video/webm", ebml("webm")],
  ["Matroska", "video/x-matroska", ebml("matroska")],
  ["FLV", "video/x-flv", bytesOf("FLV\u0001", [5], big(9), new Uint8Array(20))],
  [
    "ASF",
    "video/x-ms-asf",
    bytesOf([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9], new Uint8Array(40)),
  ],
  ["MPEG", "video/mpeg", bytesOf([0, 0, 1, 0xba, 0x21], new Uint8Array(40))],
  ["Word document", WORD, docxBytes()],
  [
    "workbook",
    typeOfName("a.xlsx") ?? "",
    zipBytes({ "[Content_Types].xml": utf8("<T/>"), "xl/workbook.xml": utf8("<w/>") }),
  ],
  [
    "presentation",
    typeOfName("a.pptx") ?? "",
    zipBytes({ "[Content_Types].xml": utf8("<T/>"), "ppt/presentation.xml": utf8("<p/>") }),
  ],
  [
    "EPUB",
    "application/epub+zip",
    zipBytes({ mimetype: utf8("application/epub+zip"), "a.html": utf8("a") }),
  ],
  [
    "OpenDocument text",
    typeOfName("a.odt") ?? "",
    zipBytes({
      mimetype: utf8("application/vnd.oasis.opendocument.text"),
      "content.xml": utf8("a"),
    }),
  ],
  ["ZIP", "application/zip", zipBytes({ "x.txt": utf8("x") })],
];

describe("the type of a file", () => {
  it.each(BINARY)("FTY1: of a %s is %s, under any name (FT5)", (_, type, bytes) => {
    expect(mediaTypeOf(bytes)).toBe(type);
    expect(mediaTypeOf(bytes, { name: "notes.txt", declared: "text/plain" })).toBe(type);
  });

  /** The library reads Office's own list of contents, which these have not. */
  const foreign = BINARY.filter(([what]) => !/^(?:Word|workbook|presentation)/.test(what));
  it.each(foreign)("of a %s matches a library's result", async (_, type, bytes) => {
    const { mime = "" } = (await fileTypeFromBuffer(bytes)) ?? {};
    expect(ORACLE_NAMES[mime] ?? plainType(mime)).toBe(type);
  });

  it("FTY1: follows its bytes, not its name (FT1)", () => {
    const claims = { name: "a.pdf", declared: "application/pdf" };
    expect(mediaTypeOf(pngBytes(1, 1), claims)).toBe("image/png");
    expect(mediaTypeOf(new Uint8Array([0, 1, 2, 3]), claims)).toBe("application/octet-stream");
  });

  it("FTY2: of text is the declared one, else the name's, else one detected from its beginning (FT2)", () => {
    const json = utf8('{"a":1}');
    expect(mediaTypeOf(json, { name: "a.txt", declared: "text/plain" })).toBe("text/plain");
    expect(mediaTypeOf(json, { name: "a" })).toBe("application/json");
    expect(mediaTypeOf(json, { name: "a.md" })).toBe("text/markdown");
    expect(mediaTypeOf(json, { name: "a.md", declared: "text/csv; charset=utf-8" })).toBe(
      "text/csv",
    );
    expect(mediaTypeOf(json, { declared: "image/png" })).toBe("application/json");
    expect(mediaTypeOf(json, { declared: "application/octet-stream", name: "x.yml" })).toBe(
      "application/yaml",
    );
    expect(mediaTypeOf(utf8('{"a":'), {})).toBe("text/plain");
  });

  it("distinguishes a Word document from a ZIP by its entries (FT3)", () => {
    expect(mediaTypeOf(docxBytes(), { name: "a.zip" })).toBe(WORD);
    expect(kindOf(WORD)).toBe("document");
    expect(mediaTypeOf(zipBytes({ "x.txt": utf8("x") }), { name: "a.docx" })).toBe(
      "application/zip",
    );
  });

  it("looks at a ZIP's own entries, not at those of a ZIP inside of it", () => {
    expect(mediaTypeOf(zipBytes({ "inner.docx": docxBytes() }))).toBe("application/zip");
  });

  it("finds the entries of a ZIP with sizes written after them", () => {
    const streamed = (name: string) =>
      bytesOf(
        "PK\u0003\u0004",
        little(20, 2),
        little(8, 2),
        new Uint8Array(18),
        little(name.length, 2),
        little(0, 2),
        name,
        "content",
        "PK\u0007\b",
        new Uint8Array(12),
      );
    expect(
      mediaTypeOf(bytesOf(streamed("[Content_Types].xml"), streamed("word/document.xml"))),
    ).toBe(WORD);
  });

  it("FTY3: of SVG and HTML is text, with any beginning (FT4)", () => {
    const svg = '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<!-- x --><svg onload="alert(1)">';
    expect(mediaTypeOf(utf8(svg))).toBe("image/svg+xml");
    expect(mediaTypeOf(utf8("\ufeff <!-- a --> <svg xmlns='x'><script>1</script></svg>"))).toBe(
      "image/svg+xml",
    );
    expect(kindOf("image/svg+xml")).toBe("text");
    expect(mediaTypeOf(utf8("<!-- a -->\n<!DOCTYPE html><p>"))).toBe("text/html");
    expect(mediaTypeOf(utf8("<HTML lang=en>"))).toBe("text/html");
    expect(mediaTypeOf(utf8("<?xml version='1.0'?><rss/>"))).toBe("application/xml");
  });

  it("of text in UTF-16 with its mark is text; of bytes with NULs it is unknown", () => {
    expect(mediaTypeOf(bytesOf([0xff, 0xfe], "h\0i\0"))).toBe("text/plain");
    expect(mediaTypeOf(bytesOf([0xfe, 0xff], "\0h\0i"), { name: "a.csv" })).toBe("text/csv");
    expect(mediaTypeOf(bytesOf("text\0text"))).toBe("application/octet-stream");
    expect(mediaTypeOf(bytesOf([0xc3, 0x28, 0x20, 0x20]))).toBe("application/octet-stream");
  });

  it("of a longer text is found when its beginning ends inside of a letter", () => {
    const head = utf8("Grüße").subarray(0, 3);
    expect(mediaTypeOf(head, { size: 7 })).toBe("text/plain");
    expect(mediaTypeOf(head)).toBe("application/octet-stream");
  });

  describe("of bytes with two meanings", () => {
    it.each([
      [
        "a GIF with a ZIP behind it",
        "image/gif",
        bytesOf("GIF89a", little(1, 2), little(1, 2), zipBytes({ "word/a": utf8("a") })),
      ],
      ["a PNG with a PDF's mark inside", "image/png", bytesOf(pngBytes(1, 1), "%PDF-1.4\n1 0 obj")],
      [
        "a PDF behind a page of HTML",
        "application/pdf",
        bytesOf("<html><script>1</script>", pdfBytes(1)),
      ],
      [
        "a JPEG with a page of HTML in its comment",
        "image/jpeg",
        bytesOf([0xff, 0xd8, 0xff, 0xfe], big(30, 2), "<script>alert(1)</script>"),
      ],
    ])("%s is %s", (_, type, bytes) => {
      expect(mediaTypeOf(bytes, { name: "a.html", declared: "text/html" })).toBe(type);
    });

    it("a text about PDFs stays a text", () => {
      expect(mediaTypeOf(utf8("A PDF begins with %PDF-1.7, then come objects."))).toBe(
        "text/plain",
      );
    });

    it("a text with the first letters of a bitmap stays a text", () => {
      expect(mediaTypeOf(utf8("BMW and others: a list of cars, of which"))).toBe("text/plain");
    });

    it("bytes with the start of sound frames, but without frames, stay unknown", () => {
      expect(mediaTypeOf(bytesOf([0xff, 0xfb, 0xfc, 0], new Uint8Array(20)))).toBe(
        "application/octet-stream",
      );
    });
  });

  it("of Office's old documents follows the name, if it is one of Office's", () => {
    const ole = bytesOf([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], new Uint8Array(100));
    expect(mediaTypeOf(ole, { name: "a.xls" })).toBe("application/vnd.ms-excel");
    expect(mediaTypeOf(ole, { name: "a.png" })).toBe("application/octet-stream");
  });

  it("of Windows Media follows the name", () => {
    const asf = bytesOf([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11], new Uint8Array(20));
    expect(mediaTypeOf(asf, { name: "a.wma" })).toBe("audio/x-ms-wma");
    expect(mediaTypeOf(asf, { name: "a.txt" })).toBe("video/x-ms-asf");
  });

  it("never fails on bytes cut off anywhere", async () => {
    for (const [, , bytes] of BINARY)
      for (let length = 0; length <= Math.min(bytes.length, 300); length++) {
        const part = bytes.subarray(0, length);
        expect(typeof mediaTypeOf(part, { size: bytes.length })).toBe("string");
        await fileFacts(part);
      }
  });
});

describe("names of types", () => {
  it("have their usual spelling", () => {
    expect(plainType("Image/JPG; q=1")).toBe("image/jpeg");
    expect(plainType("application/x-anything")).toBe("application/x-anything");
    expect(endingOf("image/jpeg")).toBe("jpg");
    expect(endingOf("application/x-anything")).toBe("bin");
    expect(typeOfName("report.final.PDF")).toBe("application/pdf");
    expect(typeOfName("constructor.constructor")).toBeUndefined();
    expect(typeOfName("a.constructor")).toBeUndefined();
  });

  it.each([
    ["image/png", "image"],
    ["application/ld+json", "text"],
    ["application/pdf", "pdf"],
    ["application/epub+zip", "document"],
    ["application/msword", "document"],
    ["audio/opus", "audio"],
    ["video/webm", "video"],
    ["application/zip", "other"],
    ["font/woff2", "other"],
  ])("of %s mean %s", (type, kind) => {
    expect(kindOf(type)).toBe(kind);
  });
});

describe("the facts of a file", () => {
  it("are its type, its length and its digest", async () => {
    expect(await fileFacts(strToU8("abc"), { name: "a.txt" })).toEqual({
      mediaType: "text/plain",
      kind: "text",
      bytes: 3,
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    });
  });

  it.each([
    ["PNG", pngBytes(300, 200), { width: 300, height: 200 }],
    [
      "JPEG, not the size of the picture in its EXIF data",
      jpegBytes(300, 200),
      { width: 300, height: 200 },
    ],
    [
      "GIF",
      bytesOf("GIF89a", little(300, 2), little(200, 2), new Uint8Array(8)),
      { width: 300, height: 200 },
    ],
    ["bitmap from the top", bmp, { width: 4, height: 3 }],
    [
      "WEBP with more to it",
      bytesOf(
        "RIFF",
        little(30),
        "WEBPVP8X",
        little(10),
        [0, 0, 0, 0],
        little(299, 3),
        little(199, 3),
      ),
      { width: 300, height: 200 },
    ],
    [
      "WEBP with losses",
      bytesOf(
        "RIFF",
        little(30),
        "WEBPVP8 ",
        little(10),
        [0, 0, 0, 0x9d, 1, 0x2a],
        little(300, 2),
        little(200, 2),
      ),
      { width: 300, height: 200 },
    ],
    [
      "WEBP without losses",
      bytesOf("RIFF", little(30), "WEBPVP8L", little(10), [0x2f], little(299 + 199 * 2 ** 14)),
      { width: 300, height: 200 },
    ],
    [
      "TIFF",
      bytesOf(
        "MM\0*",
        big(8),
        big(2, 2),
        big(256, 2),
        big(3, 2),
        big(1),
        big(300, 2),
        [0, 0],
        big(257, 2),
        big(4, 2),
        big(1),
        big(200),
      ),
      { width: 300, height: 200 },
    ],
    [
      "HEIC in tiles",
      bytesOf(ftyp("heic"), box16(512, 512), box16(300, 1200)),
      { width: 300, height: 1200 },
    ],
  ])("of a %s is its size in pixels", async (_, bytes, size) => {
    expect(await fileFacts(bytes)).toMatchObject(size);
  });

  it("have no size for an image of size zero, or with a header cut off", async () => {
    expect(await fileFacts(pngBytes(0, 10))).not.toHaveProperty("width");
    expect(await fileFacts(pngBytes(10, 10).subarray(0, 22))).not.toHaveProperty("width");
    expect(await fileFacts(bytesOf([0xff, 0xd8, 0xff, 0xe1, 0xff]))).not.toHaveProperty("width");
  });

  it.each([
    ["WAV", waveBytes(3), 3],
    ["WAV with a false length", waveBytes(3, 2 ** 31), 3],
    ["MP4 with its header at the end", mp4Bytes("isom", 12), 12],
    ["M4A", mp4Bytes("M4A ", 7), 7],
  ])("of a %s is how long it lasts", async (_, bytes, seconds) => {
    expect(await fileFacts(bytes)).toMatchObject({ seconds });
  });

  it("have the duration of an MP3: by its number of frames, else by its bit rate", async () => {
    const plain = mp3Bytes(100, { tag: true });
    expect((await fileFacts(plain)).seconds).toBeCloseTo((100 * 417 * 8) / 128_000, 3);
    const counted = mp3Bytes(3);
    counted.set(bytesOf("Xing", big(1), big(1000)), 36);
    expect((await fileFacts(counted)).seconds).toBeCloseTo((1000 * 1152) / 44_100, 3);
  });
});

function box16(width: number, height: number): Uint8Array {
  return bytesOf(big(20), "ispe", big(0), big(width), big(height));
}
