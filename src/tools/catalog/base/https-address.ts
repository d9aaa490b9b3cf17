import { invalidDefinition } from "../../../base/invalid-definition.ts";

/**
 * Parses an address from an option or a plain variable; `db.example.com` becomes an https address. Fails with
 * `invalid_definition`.
 */
export function httpsAddress(text: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (URL.canParse(address)) return new URL(address);
  throw invalidDefinition(`${JSON.stringify(text)} is no address`);
}
