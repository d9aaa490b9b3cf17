import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { tool, toolFromSchema } from "../../../src/tools/tool.ts";
import type { ToolOptions } from "../../../src/tools/tool-options.ts";
import { ToolBox, toolBox } from "../../../src/tools/tool-box.ts";
import { ToolCache } from "../../../src/tools/tool-cache.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";

const context = {} as ToolContext;
const options: ToolOptions<z.ZodObject> = {
  name: "Read a file",
  description: "Reads.",
  input: z.object({ path: z.string() }),
  run: () => "text",
};

describe("tool()", () => {
  it("makes a tool with a provider-safe name, the JSON Schema of its input, and defaults", () => {
    expect(tool(options)).toMatchObject({
      name: "Read a file",
      safeName: "read_a_file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      effect: "idempotent",
      resultAsAnswer: false,
      maxUsageCount: undefined,
      timeoutMs: 300_000,
    });
  });

  it("passes the parsed input to run, with defaults and transforms", async () => {
    const input = z.object({ n: z.coerce.number(), by: z.number().default(2) });
    expect(
      await tool({ name: "t", description: "d", input, run: ({ n, by }) => n * by }).call(
        { n: "21" },
        context,
      ),
    ).toBe(42);
  });

  it("refuses invalid input, with each field and its value", async () => {
    const call = tool({
      ...options,
      input: z.object({ path: z.string(), lines: z.array(z.number()) }),
    }).call({ lines: [1, "2"] }, context);
    await expect(call).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(
        /the input of tool "Read a file" does not fit: \/path: .*; \/lines\/1: .*; got \{"lines":\[1,"2"\]\}/,
      ),
      issues: [{ path: "/path" }, { path: "/lines/1" }],
    });
  });

  it.each<[Partial<ToolOptions<z.ZodObject>>, string]>([
    [{ maxUsageCount: 0 }, 'tool "Read a file": maxUsageCount must be an integer >= 1, got 0'],
    [{ maxUsageCount: 1.5 }, "maxUsageCount must be an integer >= 1, got 1.5"],
    [{ timeoutMs: 0 }, "timeoutMs must be a number > 0, got 0"],
    [{ name: " " }, "tool.name must not be empty"],
    [{ description: "" }, 'tool "Read a file": description must not be empty'],
  ])("VD20: refuses %j", (wrong, message) => {
    expect(() => tool({ ...options, ...wrong })).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe("toolFromSchema()", () => {
  const parameters: JsonObject = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
  };
  const double = toolFromSchema({
    name: "double",
    description: "Doubles.",
    parameters,
    run: ({ n }) => Number(n) * 2,
  });

  it("checks the input against the schema", async () => {
    expect(await double.call({ n: 4 }, context)).toBe(8);
    await expect(double.call({ n: "4" }, context)).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/n" }],
    });
    await expect(double.call({}, context)).rejects.toMatchObject({ code: "invalid_input" });
  });
});

const named = (name: string) => tool({ ...options, name });

describe("ToolBox", () => {
  it("finds a tool by any spelling of its name, and distinguishes two with one name", () => {
    const [first, second] = [named("Web search"), named("web_search")];
    const box = new ToolBox([first, second]);
    expect(box.names).toEqual(["web_search", "web_search_2"]);
    expect(box.specs.map(({ name }) => name)).toEqual(["web_search", "web_search_2"]);
    expect(box.find("WebSearch")).toBe(first);
    expect(box.find("web_search_2")).toBe(second);
    expect(box.find("web_serch")).toBeUndefined();
  });

  it("finds the closest name, and no distant one", () => {
    const search = named("web_search");
    const box = new ToolBox([named("read_file"), search]);
    expect(box.findClosest("web_serch")).toBe(search);
    expect(box.findClosest("calendar")).toBeUndefined();
  });

  it("is made once for each list, so adapters convert the specs once", () => {
    const tools = [named("a")];
    expect(toolBox(tools)).toBe(toolBox(tools));
    expect(toolBox([...tools])).not.toBe(toolBox(tools));
  });
});

describe("ToolCache", () => {
  it("matches equal input in any order of fields, and keeps empty results", () => {
    const [read, other] = [tool(options), tool(options)];
    const cache = new ToolCache();
    cache.write(read, { a: 1, b: { c: [1], d: null } }, { text: "" });
    expect(cache.read(read, { b: { d: null, c: [1] }, a: 1 })).toEqual({ text: "" });
    expect(cache.read(read, { a: 1, b: { c: [2], d: null } })).toBeUndefined();
    expect(cache.read(other, { a: 1, b: { c: [1], d: null } })).toBeUndefined();
  });
});
