import type { CatalogVariable } from "../base/entry.ts";

export const BRIGHT_DATA_KEY: CatalogVariable = {
  name: "BRIGHT_DATA_API_KEY",
  description: "the key of brightdata.com",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "apiKey",
};

export const BRIGHT_DATA_ZONE: CatalogVariable = {
  name: "BRIGHT_DATA_ZONE",
  description: "the zone of Bright Data that requests go through",
  option: "zone",
  isPlain: true,
};

export const BRIGHT_DATA = "https://api.brightdata.com";
