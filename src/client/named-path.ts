/** The path below another one that a name leads to, whatever characters it has. */
export function namedPath(path: string, name: string): string {
  return `${path}/${encodeURIComponent(name)}`;
}
