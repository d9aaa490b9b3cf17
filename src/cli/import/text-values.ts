// Texts that Python makes of texts: `dedent`, `strip`, `format`, `join`.

/** Removes the spaces that all lines with text begin with, as `textwrap.dedent`. */
export function dedent(text: string): string {
  const lines = text.split("\n").map((line) => (line.trim() === "" ? "" : line));
  const depths = lines.filter((line) => line !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  let shared = depths[0] ?? "";
  for (const depth of depths)
    while (!depth.startsWith(shared)) shared = shared.slice(0, Math.max(0, shared.length - 1));
  return lines.map((line) => line.slice(line === "" ? 0 : shared.length)).join("\n");
}

/** Functions of one text, by their Python names. */
export const TEXT_FUNCTIONS: Readonly<Record<string, (text: string) => string>> = {
  dedent,
  "textwrap.dedent": dedent,
  cleandoc: (text) => dedent(text.replace(/^[^\n]*/, (first) => first.trimStart())).trim(),
  "inspect.cleandoc": (text) =>
    dedent(text.replace(/^[^\n]*/, (first) => first.trimStart())).trim(),
  str: (text) => text,
};

/** Methods of a text without arguments. */
export const TEXT_METHODS: Readonly<Record<string, (text: string) => string>> = {
  strip: (text) => text.trim(),
  lstrip: (text) => text.trimStart(),
  rstrip: (text) => text.trimEnd(),
};

/** The name of an input for a computed value: `date.today()` as `date_today`. */
export function inputName(text: string): string {
  const plain = text
    .replaceAll(/\([^]*/g, "")
    .replaceAll(/[^A-Za-z0-9_]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 60);
  return /^[A-Za-z]/.test(plain) ? plain : `input_${plain}`.replace(/_$/, "");
}

/** Fills `{0}`, `{}` and `{name}` as `str.format`; unknown names stay. */
export function formatted(
  text: string,
  args: readonly string[],
  names: ReadonlyMap<string, string>,
): string {
  let next = 0;
  return text.replaceAll(/\{\{|\}\}|\{(\w*)\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return whole.charAt(0);
    if (name === "") return args[next++] ?? whole;
    return (/^\d+$/.test(name) ? args[Number(name)] : names.get(name)) ?? whole;
  });
}
