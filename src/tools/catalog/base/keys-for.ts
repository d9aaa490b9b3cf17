import { toBase64 } from "../../../base/bytes.ts";
import { isListed } from "../../../security/host-list.ts";
import type { CatalogVariable } from "./entry.ts";

/** What a request to one address carries of a tool's variables. */
export type RequestKeys = {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The variable of the key, to be named where it is refused. */
  readonly name: string | undefined;
};

/** The keys for an address. A variable with hosts of its own is carried to no others. */
export function keysFor(
  url: URL,
  variables: readonly CatalogVariable[],
  valueOf: (name: string) => string | undefined,
): RequestKeys {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const here = variables.filter(
    ({ name, hosts }) =>
      valueOf(name) !== undefined && (hosts === undefined || isListed(url, hosts)),
  );
  for (const { name, send } of here) {
    const value = valueOf(name) ?? "";
    if (send === undefined) continue;
    if ("query" in send) query[send.query] = value;
    else if ("header" in send) headers[send.header] = `${send.prefix ?? ""}${value}`;
    else headers["authorization"] = `Basic ${basicText(valueOf(send.basicUser), value)}`;
  }
  const secrets = here.filter(({ isPlain }) => isPlain !== true);
  const { name } = secrets.find(({ send }) => send !== undefined) ?? secrets[0] ?? {};
  return { headers, query, name };
}

/** The texts that tell a tool's secrets, in the forms in which requests have them. */
export function secretsOf(
  variables: readonly CatalogVariable[],
  valueOf: (name: string) => string | undefined,
): readonly string[] {
  return variables.flatMap(({ name, isPlain, send }) => {
    const value = valueOf(name);
    if (isPlain === true || value === undefined) return [];
    if (send !== undefined && "basicUser" in send)
      return [value, basicText(valueOf(send.basicUser), value)];
    if (!URL.canParse(value)) return [value];
    // An address that is a secret is one by its path, and mostly by the end of that.
    const { pathname } = new URL(value);
    return [value, pathname, pathname.slice(pathname.lastIndexOf("/") + 1)];
  });
}

function basicText(user = "", password: string): string {
  return toBase64(new TextEncoder().encode(`${user}:${password}`));
}
