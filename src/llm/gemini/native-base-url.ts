import type { Connection } from "../connection.ts";

/** The native API's address, for the one of the compatible endpoint that is configured; undefined behind anything else. */
export function nativeBaseUrl({ baseUrl }: Pick<Connection, "baseUrl">): string | undefined {
  const native = /^(.*\/v1(?:beta|alpha)?)\/openai\/*$/.exec(baseUrl);
  return native?.[1];
}
