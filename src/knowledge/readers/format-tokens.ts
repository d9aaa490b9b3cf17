// Codes of number formats as tokens.

export type FormatToken = {
  readonly kind:
    | "literal"
    /** `0`, `#` or `?` */
    | "digit"
    /** `.` */
    | "point"
    /** `,` */
    | "comma"
    | "percent"
    /** `E+` or `E-` */
    | "exponent"
    /** `/` */
    | "slash"
    /** `@` */
    | "text"
    | "general"
    /** A field of a date or a time: `yyyy`, `m`, `AM/PM`. */
    | "field"
    /** A count of hours, minutes or seconds: `[h]`. */
    | "elapsed"
    | "condition";
  readonly text: string;
};

const KINDS: ReadonlyArray<readonly [RegExp, FormatToken["kind"] | "nothing"]> = [
  [/"([^"]*)"?/y, "literal"],
  [/\\([^]|$)/y, "literal"],
  // Blanks of a character's width, and characters repeated to the width of the cell.
  [/[_*](?:[^]|$)/y, "nothing"],
  [/\[(h+|m+|s+)\]/iy, "elapsed"],
  [/\[([<>=][^\]]*)\]/y, "condition"],
  // A currency's sign, before the language.
  [/\[\$([^\]-]*)[^\]]*\]/y, "literal"],
  // Colours and digits of other scripts.
  [/\[[^\]]*\]/y, "nothing"],
  [/general/iy, "general"],
  [/(?:AM\/PM|A\/P|上午\/下午)/iy, "field"],
  [/[eE][+-]/y, "exponent"],
  [/y+|m+|d+|h+|s+|e+|g+|b+/iy, "field"],
  [/[0#?]/y, "digit"],
  [/\./y, "point"],
  [/,/y, "comma"],
  [/%/y, "percent"],
  [/\//y, "slash"],
  [/@/y, "text"],
  [/[^]/y, "literal"],
];

/** Returns the tokens of each section of a code. */
export function tokensOf(code: string): ReadonlyArray<readonly FormatToken[]> {
  const sections: FormatToken[][] = [[]];
  for (let at = 0; at < code.length;) {
    if (code[at] === ";") {
      sections.push([]);
      at++;
      continue;
    }
    for (const [pattern, kind] of KINDS) {
      pattern.lastIndex = at;
      const match = pattern.exec(code);
      if (match === null) continue;
      at = pattern.lastIndex;
      if (kind !== "nothing") sections.at(-1)?.push({ kind, text: match[1] ?? match[0] });
      break;
    }
  }
  return sections;
}
