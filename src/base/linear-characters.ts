// Sets of characters. Each character is tested alone with the runtime's own RegExp, so it cannot backtrack.

/** True if a code point is in the set. */
export type CharacterSet = (point: number) => boolean;

const ASCII = 128;

/** `[[:alpha:]]`, as other languages' patterns have it. */
const NAMED: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: String.raw`\0-\x7f`,
  blank: String.raw`\t `,
  cntrl: String.raw`\0-\x1f\x7f`,
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: String.raw`!-\/:-@\[-\x60{-~`,
  space: String.raw`\t-\r `,
  upper: "A-Z",
  word: String.raw`\w`,
  xdigit: "0-9A-Fa-f",
};

/** The set of one character. */
export function characterSet(point: number, ignoreCase: boolean): CharacterSet {
  return ignoreCase ? nativeSet(characterSource(point), true) : (other) => other === point;
}

/** Returns the set of a pattern for one character. Throws for an invalid pattern. */
export function nativeSet(source: string, ignoreCase: boolean): CharacterSet {
  const pattern = new RegExp(`^${source}$`, ignoreCase ? "iu" : "u");
  const ascii = Array.from({ length: ASCII }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (point) =>
    point < ASCII ? ascii[point] === true : pattern.test(String.fromCodePoint(point));
}

/** Returns the set of `\d`, `\w`, `\s` or their opposites as RE2 has them: of ASCII, and widened by ignored case. */
export function asciiSet(source: string, ignoreCase: boolean): CharacterSet {
  const letter = source.slice(1);
  const kind = letter.toLowerCase();
  const set = nativeSet(kind === "s" ? String.raw`[\t\n\f\r ]` : `\\${kind}`, ignoreCase);
  return letter === kind ? set : (point) => !set(point);
}

/** Returns the source of a character within a class. */
export function characterSource(point: number): string {
  return `\\u{${point.toString(16)}}`; // no String.raw: terser cannot read `\u{` in one
}

/** Returns the source of `[:name:]` within a class. */
export function namedSource(name = ""): string {
  return NAMED[name] ?? "";
}

export const CLASS_NAMES: readonly string[] = Object.keys(NAMED);

const properties = new Map<string, CharacterSet>();
const MAX_PROPERTIES = 256;

/**
 * Returns the set of `\p{…}` or `\P{…}`; patterns of other languages name scripts alone. Throws for unknown names.
 * Cached separately, and outside of classes, because the runtime builds them slowly.
 */
export function propertySet(letter: "p" | "P", name: string, ignoreCase: boolean): CharacterSet {
  const key = `${letter}${ignoreCase ? "i" : ""}:${name}`;
  const known = properties.get(key);
  if (known !== undefined) return known;
  const source = [`\\${letter}{${name}}`, `\\${letter}{Script=${name}}`].find(isValid);
  if (source === undefined) throw new SyntaxError(`\\${letter}{${name}} is not known`);
  const made = nativeSet(source, ignoreCase);
  if (properties.size >= MAX_PROPERTIES) properties.clear();
  properties.set(key, made);
  return made;
}

function isValid(source: string): boolean {
  try {
    return new RegExp(source, "u").unicode;
  } catch {
    return false;
  }
}
