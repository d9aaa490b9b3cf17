/** Normalizes an address: removes the fragment and campaign parameters. Other texts stay unchanged. */
export function plainAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = "";
  for (const name of Array.from(url.searchParams.keys()))
    if (name.startsWith("utm_")) url.searchParams.delete(name);
  return url.href;
}
