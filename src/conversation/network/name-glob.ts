// Patterns on names: `*` is any text, `?` one character, `[ab]` one of these, `[!ab]` any other one. Case-sensitive.

/** True if a name matches one of the patterns. */
export function matchesGlob(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(piecesOf(pattern), Array.from(name)));
}

type Piece = "any" | ((character: string) => boolean);

/** Goes back to the last `*` only, so the time is at most the product of both lengths. */
function matches(pieces: readonly Piece[], characters: readonly string[]): boolean {
  let piece = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const next = pieces[piece];
    if (next === "any") {
      star = piece++;
      starAt = at;
    } else if (next?.(characters[at] ?? "") === true) {
      piece++;
      at++;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++starAt;
    } else return false;
  }
  return pieces.slice(piece).every((rest) => rest === "any");
}

function piecesOf(pattern: string): readonly Piece[] {
  return Array.from(pattern.matchAll(/\*+|\[!?\]?[^\]]*\]|[^]/gu), ([part]): Piece => {
    if (part.startsWith("*")) return "any";
    if (part === "?") return () => true;
    if (part.length < 3 || !part.startsWith("[")) return (character) => character === part;
    const isNegated = part.startsWith("[!");
    const members = membersOf(part.slice(isNegated ? 2 : 1, -1));
    return (character) => members(character) !== isNegated;
  });
}

/** The characters of a set, with ranges such as `a-z`. */
function membersOf(set: string): (character: string) => boolean {
  const ranges = Array.from(set.matchAll(/([^])-([^])|([^])/gu), ([, from, to, one = ""]) => ({
    from: from ?? one,
    to: to ?? one,
  }));
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to);
}
