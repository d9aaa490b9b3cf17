/** True if an address means one of these names, without regard to case and to the width of letters. */
export function isAddressed(to: string, names: readonly string[]): boolean {
  const wanted = plain(to);
  return names.some((name) => plain(name) === wanted);
}

function plain(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}
