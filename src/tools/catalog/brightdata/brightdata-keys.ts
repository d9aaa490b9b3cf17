import type { CatalogVariable } from "../base/entry.ts";
import type { ToolIo } from "../base/tool-io.ts";

export const BRIGHT_DATA_KEY = {
  name: "BRIGHT_DATA_API_KEY",
  description: "the key of brightdata.com",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "apiKey",
} as const satisfies CatalogVariable;

export const BRIGHT_DATA_ZONE = {
  name: "BRIGHT_DATA_ZONE",
  description: "the zone of Bright Data that requests go through",
  option: "zone",
  isPlain: true,
} as const satisfies CatalogVariable;

/** Alternative address, such as your own proxy. */
export const BRIGHT_DATA_API = {
  name: "BRIGHTDATA_API_URL",
  description: "the address of Bright Data's API",
  default: "https://api.brightdata.com",
  isPlain: true,
} as const satisfies CatalogVariable;

function brightDataHosts(
  _: unknown,
  valueOf: (name: string) => string | undefined,
): readonly string[] {
  const api = valueOf(BRIGHT_DATA_API.name) ?? BRIGHT_DATA_API.default;
  return [URL.canParse(api) ? new URL(api).host : ""];
}

/** Properties of every tool. */
export const BRIGHT_DATA = {
  service: "Bright Data",
  effectClass: "R",
  env: [BRIGHT_DATA_KEY, BRIGHT_DATA_ZONE, BRIGHT_DATA_API],
  hosts: brightDataHosts,
} as const;

/** Returns the API's address. The variable may end in `/request`, as with CrewAI's tools. */
export function brightDataApi(io: ToolIo): string {
  const api = io.value(BRIGHT_DATA_API.name) ?? BRIGHT_DATA_API.default;
  return api.replace(/\/(request\/?)?$/, "");
}
