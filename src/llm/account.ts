import { digestHex } from "../base/bytes.ts";
import type { Connection } from "./connection.ts";

/** Returns a digest that distinguishes the accounts of a provider without revealing them. */
export function accountOf({ baseUrl, apiKey = "", headers }: Connection): Promise<string> {
  const key = apiKey || (headers["api-key"] ?? "");
  return digestHex(new TextEncoder().encode(`${baseUrl}\n${key}`));
}
