import type { CatalogVariable } from "../base/entry.ts";

export const LINKUP_KEY: CatalogVariable = {
  name: "LINKUP_API_KEY",
  description: "the key of linkup.so",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "apiKey",
};
