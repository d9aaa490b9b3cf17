import { toBase64 } from "../../../base/bytes.ts";
import { isListed } from "../../../security/host-list.ts";
import type { CatalogVariable } from "./entry.ts";

/** Parts of a request from a tool's variables. */
export type RequestKeys = {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Name of the key's variable, for the message if the key is rejected. */
  readonly name: string | undefined;
};

/** Returns the keys for an address. A variable with its own hosts is sent to no others. */
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

/** Returns the texts revealing a tool's secrets, in their forms in requests. */
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
    // The secret part of a secret address is its path, and mostly the end of it.
    const { pathname } = new URL(value);
    return [value, pathname, pathname.slice(pathname.lastIndexOf("/") + 1)];
  });
}

function basicText(user = "", password: string): string {
  return toBase64(new TextEncoder().encode(`${user}:${password}`));
}
