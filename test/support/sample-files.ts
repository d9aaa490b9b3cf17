// Small files of many kinds, made here byte by byte, so that tests can make them wrong in one place.
import { zipSync, strToU8, type Zippable } from "fflate";

/** Bytes by their Latin-1 characters. */
export function bytesOf(
  ...parts: readonly (string | Uint8Array | readonly number[])[]
): Uint8Array {
  const all = parts.map((part) =>
    typeof part === "string"
      ? Uint8Array.from(part, (letter) => letter.charCodeAt(0))
      : Uint8Array.from(part),
  );
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function big(value: number, length = 4): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)));
}

export function little(value: number, length = 4): Uint8Array {
  return big(value, length).toReversed();
}

/** A PNG's header, and as many bytes as are wanted. */
export function pngBytes(width: number, height: number, length = 64): Uint8Array {
  const header = bytesOf(
    "\u0089PNG\r\n\u001a\n",
    big(13),
    "IHDR",
    big(width),
    big(height),
    [8, 6, 0, 0, 0],
    big(0x12345678),
  );
  const bytes = new Uint8Array(Math.max(length, header.length));
  bytes.set(header);
  return bytes;
}

/** A JPEG whose frame stands behind a segment of EXIF data that has a small picture of its own. */
export function jpegBytes(width: number, height: number, exifLength = 200): Uint8Array {
  const frame = (w: number, h: number) =>
    bytesOf(
      [0xff, 0xc0],
      big(17, 2),
      [8],
      big(h, 2),
      big(w, 2),
      [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
    );
  const thumbnail = bytesOf([0xff, 0xd8, 0xff, 0xdb], big(4, 2), [0, 0], frame(16, 12));
  const exif = bytesOf("Exif\0\0", thumbnail, new Uint8Array(exifLength));
  return bytesOf(
    [0xff, 0xd8, 0xff, 0xe1],
    big(exif.length + 2, 2),
    exif,
    frame(width, height),
    [0xff, 0xda],
    big(2, 2),
    new Uint8Array(16),
    [0xff, 0xd9],
  );
}

/** A box of an ISO file. */
export function box(
  name: string,
  ...content: readonly (string | Uint8Array | readonly number[])[]
) {
  const inside = bytesOf(...content);
  return bytesOf(big(inside.length + 8), name, inside);
}

export function ftyp(brand: string, ...others: readonly string[]): Uint8Array {
  return box("ftyp", brand, big(0), ...others);
}

/** A movie of so many seconds, whose header stands behind its data. */
export function mp4Bytes(brand: string, seconds: number, dataLength = 32): Uint8Array {
  const header = box(
    "mvhd",
    big(0),
    big(0),
    big(0),
    big(1000),
    big(seconds * 1000),
    new Uint8Array(80),
  );
  return bytesOf(ftyp(brand), box("mdat", new Uint8Array(dataLength)), box("moov", header));
}

/** Silence. */
export function waveBytes(seconds: number, declaredLength?: number): Uint8Array {
  const length = seconds * 16_000;
  return bytesOf(
    "RIFF",
    little(36 + length),
    "WAVEfmt ",
    little(16),
    little(1, 2),
    little(1, 2),
    little(8000),
    little(16_000),
    little(2, 2),
    little(16, 2),
    "data",
    little(declaredLength ?? length),
    new Uint8Array(length),
  );
}

/** Frames of MPEG 1, layer III, at 128 kbit/s and 44.1 kHz. */
export function mp3Bytes(frames: number, options: { readonly tag?: boolean } = {}): Uint8Array {
  const frame = bytesOf([0xff, 0xfb, 0x90, 0x00], new Uint8Array(413));
  const tag =
    options.tag === true ? bytesOf("ID3", [4, 0, 0, 0, 0, 0, 10], new Uint8Array(10)) : [];
  return bytesOf(tag, ...Array.from({ length: frames }, () => frame));
}

export function zipBytes(entries: Zippable): Uint8Array {
  return zipSync(entries, { level: 0 });
}

/** Enough of a Word document to be one. */
export function docxBytes(text = "hello"): Uint8Array {
  return zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    "_rels/.rels": strToU8(
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    ),
  });
}

/** A PDF whose pages say their numbers, readable by everybody. */
export function pdfBytes(
  pages: number,
  { padding = 0 }: { readonly padding?: number } = {},
): Uint8Array {
  const objects: string[] = [];
  const add = (text: string): number => objects.push(text);
  const kids: number[] = [];
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add("");
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (let page = 1; page <= pages; page++) {
    const text = `BT /F1 12 Tf 72 720 Td (This is page ${page}) Tj ET`;
    const content = add(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
    kids.push(
      add(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
    );
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${pages} >>`;
  if (padding > 0) add(`<< /Length ${padding} >>\nstream\n${"x".repeat(padding)}\nendstream`);
  let text = "%PDF-1.4\n";
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const xref = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) text += `${String(offset).padStart(10, "0")} 00000 n \n`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return bytesOf(text);
}
