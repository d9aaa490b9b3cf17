/**
 * True if a URL's host is in a list: `api.example.com`, `*.example.com` (every name below it, not itself),
 * `localhost:11434`.
 */
export function isListed(
  { host, hostname }: Pick<URL, "host" | "hostname">,
  hosts: readonly string[] = [],
): boolean {
  const names = [withoutRootDot(host), withoutRootDot(hostname)];
  return hosts.some((listed) => {
    if (listed.startsWith("*."))
      return names[1]?.endsWith(`.${canonical(listed.slice(2))}`) === true;
    return names.includes(canonical(listed));
  });
}

/** A host as `URL.host` spells it. */
function canonical(host: string): string {
  const address = `http://${host}`;
  return withoutRootDot(URL.canParse(address) ? new URL(address).host : host.toLowerCase());
}

/** `example.com.` is `example.com`. */
function withoutRootDot(host: string): string {
  return host.replace(/\.(?=$|:\d+$)/, "");
}
