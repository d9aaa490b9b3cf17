// Texts in pictures: their widths, cutting and wrapping, and markup. Fonts cannot be measured here, so widths are those
// of the widest of the usual fonts.

export type Font = "mono" | "sans";

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const COMBINING = /\p{M}|\p{Cf}/u;
const NARROW = /[ijl.,:;'|!ftrI()[\]\s]/;
const BROAD = /[mwMW@%&—…]/;
const CAPITAL = /[\p{Lu}]/u;

/** Returns the width in pixels, for a font size in pixels. */
export function textWidth(text: string, { size, font }: Omit<Fit, "width">): number {
  let width = 0;
  for (const character of text) width += characterWidth(character, font);
  return width * size;
}

/** Returns the width as a share of the font size. */
function characterWidth(character: string, font: Font): number {
  if (COMBINING.test(character)) return 0;
  if (WIDE.test(character)) return 1.25;
  if (font === "mono") return 0.61;
  if (NARROW.test(character)) return 0.4;
  if (BROAD.test(character)) return 1;
  return CAPITAL.test(character) ? 0.75 : 0.64;
}

export type Fit = { readonly size: number; readonly font: Font; readonly width: number };

/** Returns the text, cut to the fitting beginning with an ellipsis if necessary. White space becomes one space. */
export function cut(text: string, fit: Fit): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (textWidth(line, fit) <= fit.width) return line;
  const room = fit.width - textWidth("…", fit);
  return `${beginning(line, { ...fit, width: room }).trimEnd()}…`;
}

/** Returns the fitting beginning of a line. */
function beginning(line: string, { size, font, width }: Fit): string {
  let fitting = "";
  let used = 0;
  for (const character of line) {
    used += characterWidth(character, font) * size;
    if (used > width) break;
    fitting += character;
  }
  return fitting;
}

/** Wraps a name into fitting lines, at the starts of words if possible; a rest beyond `maxLines` is cut. */
export function wrapName(name: string, fit: Fit, maxLines: number): readonly string[] {
  const lines: string[] = [];
  let rest = name;
  while (lines.length < maxLines - 1 && textWidth(rest, fit) > fit.width) {
    const head = beginning(rest, fit);
    const words = /^.*(?:_|[a-z0-9](?=[A-Z]))/su.exec(head)?.[0] ?? "";
    const line = words.length * 2 >= head.length ? words : head;
    if (line === "") break;
    lines.push(line);
    rest = rest.slice(line.length);
  }
  return [...lines, cut(rest, fit)];
}

// Characters XML 1.0 cannot contain: most control characters, halves of surrogate pairs, two noncharacters.
const UNWRITABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escaped for text and attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text
    .replace(UNWRITABLE, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
