/** Appends a name with arbitrary characters to a path. */
export function namedPath(path: string, name: string): string {
  return `${path}/${encodeURIComponent(name)}`;
}
