import type { CatalogVariable } from "../base/entry.ts";

export const TINYFISH_KEY: CatalogVariable = {
  name: "TINYFISH_API_KEY",
  description: "the key of tinyfish.ai",
  send: { header: "X-API-Key" },
  option: "tinyfishApiKey",
};
