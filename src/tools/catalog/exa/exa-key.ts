import type { CatalogVariable } from "../base/entry.ts";

export const EXA_KEY = {
  name: "EXA_API_KEY",
  description: "the key of exa.ai",
  send: { header: "x-api-key" },
  option: "apiKey",
} as const satisfies CatalogVariable;
