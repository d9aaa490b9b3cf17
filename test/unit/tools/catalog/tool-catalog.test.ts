import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { RegistryResolver } from "../../../../src/crew/definition/definition-registry.ts";
import type { Issue } from "../../../../src/base/error.ts";
import { ENTRIES } from "../../../../src/tools/catalog/entries.ts";
import {
  NamedTools,
  toolCatalog,
  type ToolCatalogOptions,
} from "../../../../src/tools/catalog/tool-catalog.ts";
import { catalogTool } from "../../../../src/tools/catalog/base/catalog-tool.ts";
import { serperDev } from "../../../../src/tools/catalog/serper/serper-dev.ts";
import { toolKey } from "../../../../src/wire/tool-key.ts";
import type { ToolCatalog } from "../../../../src/tools/tool-catalog.ts";
import { tool, type Tool } from "../../../../src/tools/tool.ts";
import { callOf } from "../../../support/tool-world.ts";

const CLASSES = {
  className: "S3WriterTool",
  displayName: "S3 Writer Tool",
  group: "files",
  service: "S3",
  description: "Writes.",
  input: () => z.object({ content: z.string() }),
  options: () => z.object({ endpoint: z.string().optional() }),
} as const;

const writer = catalogTool({ ...CLASSES, effectClass: "X", run: ({ content }) => content });
const reading = catalogTool({
  ...CLASSES,
  className: "ScrapeElementFromWebsiteTool",
  displayName: "Read a website content",
  otherNames: ["google_search"],
  effectClass: "R",
  run: ({ content }) => content,
});
const selenium = catalogTool({
  ...CLASSES,
  className: "SeleniumScrapingTool",
  displayName: "Read a website content",
  effectClass: "R",
  run: ({ content }) => content,
});

function catalogOf(options: ToolCatalogOptions = {}): ToolCatalog {
  const entries = [serperDev, writer, reading, selenium].map(({ entry }) => entry);
  return new NamedTools(entries, options);
}

function resolved(
  names: readonly (string | JsonObject)[],
  registry: ConstructorParameters<typeof RegistryResolver>[0] = {},
): { readonly tools: readonly Tool[]; readonly issues: Issue[]; readonly warnings: Issue[] } {
  const issues: Issue[] = [];
  const resolver = new RegistryResolver({ catalogs: [catalogOf()], ...registry }, issues, "refuse");
  const tools = resolver.tools(names as never, "/tools");
  return { tools, issues, warnings: resolver.warnings };
}

describe("names", () => {
  it.each([
    "SerperDevTool",
    "serper_dev_tool",
    "SerperDev",
    "crewai_tools:SerperDevTool",
    "crewai_tools.tools.serper_dev_tool.serper_dev_tool.SerperDevTool",
  ])("finds a tool as %s (T1)", (name) => {
    const { tools } = resolved([name]);
    expect(tools.map(({ safeName }) => safeName)).toEqual(["search_the_internet_with_serper"]);
  });

  it.each([
    ["BraveLocalPOIsTool", "brave_local_pois_tool", "bravelocalpois"],
    ["DallETool", "dall_e_tool", "dalle"],
    ["NL2SQLTool", "nl2sql_tool", "nl2sql"],
    ["S3ReaderTool", "s3_reader_tool", "s3reader"],
    ["EXASearchTool", "ExaSearchTool", "exasearch"],
  ])("takes %s and %s for one name (T2)", (a, b, key) => {
    expect([toolKey(a), toolKey(b)]).toEqual([key, key]);
  });

  it("gives one tool for two spellings of a name, with a warning (T3)", () => {
    const { tools, warnings } = resolved(["SerperDevTool", "serper_dev_tool"]);
    expect(tools).toHaveLength(1);
    expect(warnings).toEqual([{ path: "/tools", message: "names one tool more than once" }]);
  });

  it("keeps two tools of one class with different options", () => {
    const { tools } = resolved([
      { tool: "SerperDevTool", n_results: 3 },
      { tool: "SerperDevTool", n_results: 5 },
    ]);
    expect(tools).toHaveLength(2);
  });

  it("rejects a model-facing name, and names its classes (T4)", () => {
    const { issues } = resolved(["Read a website content"]);
    expect(issues[0]?.message).toContain(
      "ScrapeElementFromWebsiteTool and of SeleniumScrapingTool",
    );
  });

  it("TCA1: finds other frameworks' names when no class has the key (T5)", () => {
    expect(resolved(["google_search"]).tools).toHaveLength(1);
    const other = catalogTool({
      ...CLASSES,
      effectClass: "R",
      otherNames: ["serper_dev"],
      run: () => "",
    });
    const catalog = new NamedTools([other.entry, serperDev.entry], {});
    const answer = catalog.make({
      name: "serper_dev",
      options: {},
      fromData: false,
      asksNobody: false,
    });
    expect(answer).toMatchObject({ tool: { service: "Serper" } });
  });

  it("prefers tools of the project's own", () => {
    const own = tool({
      name: "Serper Dev",
      description: "d",
      input: z.object({}),
      run: () => "own",
    });
    expect(resolved(["SerperDevTool"], { tools: [own] }).tools).toEqual([own]);
  });

  it("suggests the nearest class for an unknown name (T7)", () => {
    const { issues } = resolved([{ tool: "serper", nResults: 3 }]);
    expect(issues[0]?.message).toMatch(/unknown tool "serper".*most like it.*: SerperDevTool/);
  });

  it("reports a Worker without the catalogue (T17)", () => {
    const { issues } = resolved(["SerperDevTool"], { catalogs: [] });
    expect(issues[0]?.message).toBe(
      '"SerperDevTool" is in the catalogue, which this Worker does not carry: defineApp({ tools: toolCatalog() })',
    );
  });

  it("TCA3: gives the reason and an alternative for every unavailable name (T14)", () => {
    const { issues } = resolved(["MultiOnTool", "AIMindTool", "NoSuchThing"]);
    expect(issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('"MultiOnTool" is not available here: its service has ended. Use'),
      expect.stringContaining("NL2SQLTool, or MindsDB by MCP."),
      expect.stringContaining('unknown tool "NoSuchThing"'),
    ]);
  });
});

describe("options in definitions", () => {
  it("reads options in snake_case from a class with its module (T7)", async () => {
    const { tools } = resolved([{ tool: "SerperDevTool", n_results: 3 }]);
    const { requests } = await callOf(
      tools[0] as Tool,
      { search_query: "x" },
      {
        answers: [Response.json({ organic: [] })],
        variables: { SERPER_API_KEY: "key-0123456" },
      },
    );
    expect(requests[0]?.body).toMatchObject({ num: 3 });
  });

  it("names the option and its expected type", () => {
    const { issues } = resolved([{ tool: "SerperDevTool", n_results: "many" }]);
    expect(issues[0]?.message).toBe('SerperDevTool.n_results: expected number, got string "many"');
  });

  it("refuses an invalid header before any request", () => {
    for (const option of [{ user_agent: "a\r\nx: y" }, { headers: { "x-a": "日本" } }]) {
      const { issues } = resolved([{ tool: "SerperDevTool", ...option }]);
      expect(issues[0]?.message).toContain("one line of Latin letters");
    }
  });

  it("TCO1: warns of unknown options, and not of options without a meaning here", () => {
    const { warnings } = resolved([{ tool: "SerperDevTool", n_result: 3, verbose: true }]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "SerperDevTool has no option n_result; beside its name it takes nResults, searchType, country, location, locale, baseUrl, saveFile, apiKey, what all tools take",
    ]);
  });
});

describe("TCA2: limits of stored definitions", () => {
  const asked = { fromData: true, asksNobody: false };
  const refusal = (name: string, options: JsonObject, allowed: ToolCatalogOptions = {}): unknown =>
    (catalogOf(allowed).make({ name, options, ...asked }) as { refused?: string }).refused;

  it("names listed hosts only (T11)", () => {
    const evil = { base_url: "https://evil.example" };
    expect(refusal("SerperDevTool", evil)).toContain("SerperDevTool.base_url");
    expect(refusal("SerperDevTool", evil, { hosts: ["evil.example"] })).toBeUndefined();
    expect(refusal("SerperDevTool", evil, { hosts: ["*.example"] })).toBeUndefined();
  });

  it("holds no secrets, and names no variable of others (T12)", () => {
    expect(refusal("SerperDevTool", { api_key: "sk-1" })).toContain('{ "env": "SERPER_API_KEY" }');
    expect(refusal("SerperDevTool", { api_key: { env: "OPENAI_API_KEY" } })).toContain(
      "OPENAI_API_KEY is no variable of this tool",
    );
    expect(refusal("SerperDevTool", { api_key: { env: "SERPER_API_KEY" } })).toBeUndefined();
    expect(refusal("SerperDevTool", { country: { env: "OPENAI_API_KEY" } })).toContain(
      "no variable",
    );
  });

  it("TCA2: passes a secret only to its own option", () => {
    expect(refusal("SerperDevTool", { api_key: { env: "SERPER_API_KEY" } })).toBeUndefined();
    for (const option of ["location", "baseUrl", "description"])
      expect(refusal("SerperDevTool", { [option]: { env: "SERPER_API_KEY" } })).toContain(
        `SerperDevTool.${option}: SERPER_API_KEY is a secret, which stands in apiKey alone`,
      );
  });

  it("acts outside only when the deployment allows it, and never without asking (T13)", () => {
    expect(refusal("S3WriterTool", {})).toContain('toolCatalog({ allow: ["S3WriterTool"] })');
    const allow = ["S3WriterTool"];
    expect(refusal("S3WriterTool", {}, { allow })).toBeUndefined();
    expect(refusal("S3WriterTool", { needs_approval: false }, { allow })).toContain("approval");
  });

  it("sends no headers of its own to a service with a key", () => {
    expect(refusal("SerperDevTool", { headers: { "x-api-key": "k" } })).toContain("headers");
  });
});

it("asks a person before a tool acts outside, but in CrewAI's projects (T15)", () => {
  const make = (asksNobody: boolean): { tool: Tool; warnings: readonly string[] } =>
    catalogOf().make({ name: "S3WriterTool", options: {}, fromData: false, asksNobody }) as never;
  expect(make(false).tool).toMatchObject({
    needsApproval: true,
    actsOutside: true,
    effect: "once",
  });
  expect(make(true).tool.needsApproval).toBe(false);
  expect(make(true).warnings).toEqual([
    "S3WriterTool acts outside of the run and asks nobody first",
  ]);
});

it("carries the chosen classes, and refuses unknown names", () => {
  const only = toolCatalog({ only: ["serper_dev"] });
  expect(only.list().map(({ className }) => className)).toEqual(["SerperDevTool"]);
  expect(toolCatalog({ except: ["SerperDevTool"] }).list()).toHaveLength(ENTRIES.length - 1);
  expect(() => toolCatalog({ only: ["SerperDefTool"] })).toThrow(EngineError);
  expect(() => toolCatalog({ only: ["SerperDefTool"] })).toThrow(/most like it: SerperDevTool/);
});
