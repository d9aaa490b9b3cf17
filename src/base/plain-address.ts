/** One spelling of an address: without a fragment and marks of campaigns. What is no address stays as it is. */
export function plainAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = "";
  for (const name of Array.from(url.searchParams.keys()))
    if (name.startsWith("utm_")) url.searchParams.delete(name);
  return url.href;
}
