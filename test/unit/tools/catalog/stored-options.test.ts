// What definitions that are data from outside may say of tools that read pages and databases.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { toolCatalog } from "../../../../src/tools/catalog/tool-catalog.ts";

const hosts = ["d1:SHOP", "db.example.com", "api.example.com"];

/** Why a stored definition cannot have a tool with these options; undefined where it can. */
function refusal(name: string, options: JsonObject): string | undefined {
  const allow = ["http_request"];
  const request = { name, options, fromData: true, asksNobody: false };
  const answer = toolCatalog({ hosts, allow }).make(request);
  return answer !== undefined && "refused" in answer ? answer.refused : undefined;
}

describe("stored definitions", () => {
  it.each<[string, JsonObject, string]>([
    [
      "ScrapeWebsiteTool",
      { cookies: { name: "a", value: "OPENAI_API_KEY" } },
      "set in deployed code alone",
    ],
    ["URLReadTool", { readers: [] }, "set in deployed code alone"],
    ["SeleniumScrapingTool", { cookie: { name: "a", value: "b" } }, "set in deployed code alone"],
    ["NL2SQLTool", { db_uri: "d1:SHOP", allow_dml: true }, "set in deployed code alone"],
    ["NL2SQLTool", { db_uri: "d1:SHOP", needsApproval: false }, "set in deployed code alone"],
    ["NL2SQLTool", { db_uri: "d1:DB" }, "not among toolCatalog({ hosts })"],
    [
      "NL2SQLTool",
      { db_uri: "postgres://a:b@evil.example/db" },
      "not among toolCatalog({ hosts })",
    ],
    ["NL2SQLTool", { db_uri: { env: "DATABASE_URL" } }, "no variable of this tool"],
    ["SingleStoreSearchTool", { host: "evil.example" }, "not among toolCatalog({ hosts })"],
    [
      "http_request",
      { hosts: ["api.example.com", "evil.example"] },
      "not among toolCatalog({ hosts })",
    ],
    ["http_request", { hosts: ["*"] }, "not among toolCatalog({ hosts })"],
  ])("%s cannot have %j", (name, options, message) => {
    expect(refusal(name, options)).toContain(message);
  });

  it.each<[string, JsonObject]>([
    [
      "ScrapeWebsiteTool",
      { website_url: "https://a.example", robots: true, allow_hosts: ["a.example"] },
    ],
    ["URLReadTool", { max_bytes: 1000, encoding: "latin1" }],
    ["NL2SQLTool", { db_uri: "d1:SHOP", tables: ["teas"] }],
    ["NL2SQLTool", { db_uri: "postgresql+psycopg2://db.example.com:5432/shop" }],
    ["http_request", { hosts: ["api.example.com"] }],
  ])("%s can have %j", (name, options) => {
    expect(refusal(name, options)).toBeUndefined();
  });
});
