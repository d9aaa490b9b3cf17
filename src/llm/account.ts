import { digestHex } from "../base/bytes.ts";
import type { Connection } from "./connection.ts";

/** Tells the accounts of a provider apart, without saying which they are. */
export function accountOf({ baseUrl, apiKey = "", headers }: Connection): Promise<string> {
  const key = apiKey || (headers["api-key"] ?? "");
  return digestHex(new TextEncoder().encode(`${baseUrl}\n${key}`));
}
