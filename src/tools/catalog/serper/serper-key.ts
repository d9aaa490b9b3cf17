import type { CatalogVariable } from "../base/entry.ts";

export const SERPER_KEY: CatalogVariable = {
  name: "SERPER_API_KEY",
  description: "the key of serper.dev",
  send: { header: "X-API-KEY" },
  option: "apiKey",
};
