/** A place in a text, both counted from 1. */
export type TextPlace = { readonly line: number; readonly column: number };

/** Returns a function from an offset to its place in the text. */
export function placesIn(text: string): (offset: number) => TextPlace {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    let line = 1;
    for (let end = starts.length; line < end;) {
      const middle = (line + end) >> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle + 1;
      else end = middle;
    }
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}
