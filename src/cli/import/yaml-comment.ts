/** Comments out a field in a block of YAML with all its lines. Undefined if the line does not begin with the field. */
export function withoutField(
  text: string,
  { line, field }: { readonly line: number; readonly field: string },
): { readonly text: string; readonly was: string } | undefined {
  const lines = text.split("\n");
  const at = line - 1;
  const first = lines[at] ?? "";
  const begin = first.search(/\S/);
  const key = first.slice(Math.max(0, begin)).replace(/^["']/, "");
  if (begin < 0 || !key.startsWith(field) || !/^["']?\s*:/.test(key.slice(field.length)))
    return undefined;
  let end = at + 1;
  while (end < lines.length && belongs(lines[end] ?? "", begin)) end += 1;
  // Blank lines at the end stay outside of the comment.
  while (end > at + 1 && (lines[end - 1] ?? "").trim() === "") end -= 1;
  const commented = lines.slice(at, end).map((each) => `#${each}`);
  return {
    text: [...lines.slice(0, at), ...commented, ...lines.slice(end)].join("\n"),
    was: first.trim(),
  };
}

/** A deeper line, an item of a list at the same depth, or a blank one. */
function belongs(line: string, begin: number): boolean {
  if (line.trim() === "") return true;
  const depth = line.search(/\S/);
  return depth > begin || (depth === begin && line.slice(depth).startsWith("- "));
}
