// Rules for cutting a section of a text. Each yields its spans one by one, so the spans of a long text are never all in
// memory.

type Section = { readonly start: number; readonly end: number };
type Measure = { readonly size: number; readonly overlap: number };
export type Cutter = (text: string, section: Section, measure: Measure) => Generator<Section>;

/** Returns a cutter for which a section that fits is one span. */
function unlessItFits(cut: Cutter): Cutter {
  return function* (text, section, measure) {
    if (section.end - section.start <= measure.size) yield section;
    else yield* cut(text, section, measure);
  };
}

/** The last window may be part of the one before it. */
export function* windows(
  _text: string,
  section: Section,
  { size, overlap }: Measure,
): Generator<Section> {
  for (let { start } = section; start < section.end; start += size - overlap)
    yield { start, end: Math.min(start + size, section.end) };
}

export function* lineWindows(
  text: string,
  section: Section,
  { size, overlap }: Measure,
): Generator<Section> {
  for (let { start } = section; start < section.end;) {
    let end = Math.min(start + size, section.end);
    if (end < section.end) {
      const line = text.lastIndexOf("\n", end - 1) + 1;
      if (line > start + overlap) end = line;
    }
    yield { start, end };
    if (end === section.end) break;
    start = end - overlap;
  }
}

/**
 * Separators from the strongest to the weakest. A piece begins with its separator, except line breaks, which end one.
 */
const SEPARATORS: readonly RegExp[] = [/\n\s*\n/g, /\n+/g, /(?<=[.!?…。])\s+/g, /\s+/g];

/** `level` is the separator at its end. */
type Piece = Section & { readonly level: number };

/** Yields pieces of at most `size` that cover the section without gaps. */
function* pieces(
  text: string,
  { start, end, level: last }: Piece,
  { size, level }: { readonly size: number; readonly level: number },
): Generator<Piece> {
  const separator = SEPARATORS[level];
  if (separator === undefined) {
    for (let at = start; at < end; at += size)
      yield { start: at, end: Math.min(at + size, end), level: at + size < end ? level : last };
    return;
  }
  const within = text.slice(start, end);
  let from = start;
  for (const match of within.matchAll(separator)) {
    const [space] = match;
    const cut = start + match.index + (space.includes("\n") ? space.length : 0);
    if (cut <= from || cut >= end) continue;
    yield* cutSmaller({ start: from, end: cut, level });
    from = cut;
  }
  yield* cutSmaller({ start: from, end, level: last });

  function* cutSmaller(piece: Piece): Generator<Piece> {
    if (piece.end - piece.start <= size) yield piece;
    else yield* pieces(text, piece, { size, level: level + 1 });
  }
}

export const recursive = unlessItFits(function* (text, section, { size, overlap }) {
  /** Possible pieces for the start of the next span. */
  let parts: Section[] = [];
  for (const part of pieces(text, { ...section, level: 0 }, { size, level: 0 })) {
    const start = parts[0]?.start ?? part.start;
    if (part.end - start > size) {
      const end = part.start;
      yield { start, end };
      // The overlap is made of whole pieces, as long as the next piece still fits.
      const first = parts.findIndex((each) => {
        if (part.end - each.start > size) return false;
        if (end - each.start > overlap && text[each.start]?.trim() !== "") return false;
        const shared = text.slice(each.start, end).trimStart().length;
        return shared > 0 && shared <= overlap;
      });
      parts = first === -1 ? [] : parts.slice(first);
    }
    parts.push(part);
  }
  const [first] = parts;
  if (first !== undefined) yield { start: first.start, end: section.end };
});

type Border = { readonly at: number; readonly level: number; readonly hash: number };

/**
 * Cuts at the strongest separator among the possible ends. Among equal ones, the hash of the preceding text decides, so
 * an end stays the same after a change further up.
 */
export const blocks = unlessItFits(function* (text, section, { size, overlap }) {
  const longest = Math.max(1, size - overlap);
  const shortest = Math.floor(longest / 3);
  let { start } = section;
  let borders: Border[] = [];
  let before: readonly Border[] = [];
  const parts = pieces(
    text,
    { ...section, level: 0 },
    { size: Math.min(longest, Math.max(1, Math.floor(size / 4))), level: 0 },
  );
  for (const { start: from, end, level } of parts) {
    while (end - start > longest && borders.length > 0) {
      const border = weakest(borders, start + shortest);
      yield spanTo(border.at);
      before = borders.filter(({ at }) => at <= border.at);
      borders = borders.filter(({ at }) => at > border.at);
      start = border.at;
    }
    borders.push({ at: end, level, hash: hashOf(text, from, end) });
  }
  if (start < section.end) yield spanTo(section.end);

  /** Adds the overlap: whole pieces of the previous span. */
  function spanTo(end: number): Section {
    const shared = before.find(({ at }) => at < start && start - at <= overlap);
    return { start: shared?.at ?? start, end };
  }
});

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

/** Returns the end of a span with a minimum length. For repeated text the last place counts. */
function weakest(borders: readonly Border[], shortest: number): Border {
  let best = borders.at(-1) as Border;
  for (let index = borders.length - 1; index >= 0; index--) {
    const each = borders[index] as Border;
    if (each.at < shortest) break;
    if (each.level < best.level || (each.level === best.level && each.hash < best.hash))
      best = each;
  }
  return best;
}
