// Search part of an address: plain names and texts, so people can read and write it.

export type SearchRecord = Readonly<Record<string, string | undefined>>;

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (typeof value === "string" ? value !== "" : typeof value === "number")
      parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
