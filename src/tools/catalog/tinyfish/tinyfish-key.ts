import type { CatalogVariable } from "../base/entry.ts";

export const TINYFISH_KEY = {
  name: "TINYFISH_API_KEY",
  description: "the key of tinyfish.ai",
  send: { header: "X-API-Key" },
  option: "tinyfishApiKey",
} as const satisfies CatalogVariable;
