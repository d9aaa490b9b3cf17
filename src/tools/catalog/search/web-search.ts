import * as z from "zod";
import { isoTime } from "../../../base/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { markupText } from "../base/markup-text.ts";
import { credits, searchResult } from "../base/results.ts";
import { badResponse } from "../base/service-failure.ts";
import { BRAVE_QUOTA } from "../brave/brave-tool.ts";
import { PROVIDERS, type Freshness, type Provider } from "./providers.ts";

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };

/** Web pages from a service with a configured key. */
export const webSearch = catalogTool({
  className: "WebSearchTool",
  otherNames: ["web_search"],
  displayName: "web_search",
  group: "search",
  service: "Web search",
  effectClass: "R",
  description: "Finds web pages: titles, addresses, snippets.",
  input: () =>
    z.object({
      query: z.string().max(400).describe("What to look for"),
      limit: z.int().min(1).max(20).default(5),
      freshness: z.enum(["day", "week", "month", "year"]).optional().describe("How old, at most"),
      domains: z
        .array(z.string().regex(/^[A-Za-z0-9.-]+$/))
        .max(10)
        .optional()
        .describe("Only these sites, such as example.com"),
    }),
  options: () => z.object({}),
  env: PROVIDERS.map(variableOf),
  hosts: PROVIDERS.map(({ host }) => host),
  maxChars: 16_000,
  quota: BRAVE_QUOTA,
  run: async ({ query, limit, freshness, domains }, _, io) => {
    const provider = PROVIDERS.find(({ key }) => io.value(key.name) !== undefined) ?? PROVIDERS[0];
    if (provider === undefined) throw badResponse("Web search");
    const since =
      freshness &&
      isoTime(io.context.now() - DAYS[freshness] * DAY_MS).slice(0, "2026-01-15".length);
    const { body } = await io.send(provider.request({ query, limit, freshness, domains, since }));
    if (!isJsonObject(body)) throw badResponse(provider.host);
    const found = entriesOf(body, provider).slice(0, limit);
    return searchResult({ found, data: found, cost: costOf(body) });
  },
});

/** Returns the variable of a service's key, which is sent to that service alone. */
function variableOf({ key, host }: Provider): CatalogVariable {
  const { name, description, send } = key;
  return {
    name,
    description,
    oneOf: "search",
    hosts: [host],
    ...(send === undefined ? undefined : { send }),
  };
}

type Entry = {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date?: string;
};

function entriesOf(answer: JsonObject, { list, fields }: Provider): Entry[] {
  let place: JsonValue | undefined = answer;
  for (const name of list) place = isJsonObject(place) ? place[name] : undefined;
  if (!Array.isArray(place)) return [];
  return place.filter(isJsonObject).flatMap((each) => {
    const url = each[fields.url];
    if (typeof url !== "string") return [];
    const date = each[fields.date];
    return [
      {
        title: textOf(each[fields.title]),
        url,
        snippet: textOf(each[fields.snippet]),
        ...(typeof date === "string" ? { date } : undefined),
      },
    ];
  });
}

function textOf(value: JsonValue | undefined): string {
  const texts = [value].flat().filter((each) => typeof each === "string");
  return markupText(texts.join(" … "));
}

function costOf(answer: JsonObject): ReturnType<typeof credits> {
  const { credits: own, creditsUsed, usage, costDollars } = answer;
  const usd = isJsonObject(costDollars) ? costDollars["total"] : undefined;
  if (typeof usd === "number") return { amount: usd, unit: "usd" };
  const spent = own ?? creditsUsed ?? (isJsonObject(usage) ? usage["credits"] : undefined);
  return credits(typeof spent === "number" ? spent : undefined);
}
