import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closestToolName,
  sanitizeToolName,
  similarity,
  uniqueToolNames,
} from "../../../src/wire/tool-name.ts";

describe("sanitizeToolName", () => {
  it.each([
    ["Delegate work to coworker", "delegate_work_to_coworker"],
    ["SerperDevTool", "serper_dev_tool"],
    ["Read a file's content", "read_a_files_content"],
    ["HTTPServer", "http_server"],
    ["getHTTPResponse2", "get_http_response2"],
    ["Ünïcode Tool", "unicode_tool"],
    ["  --x--  ", "x"],
    ["a".repeat(80), `${"a".repeat(55)}_0f45e858`],
  ])("%s becomes %s", (name, expected) => {
    expect(sanitizeToolName(name)).toBe(expected);
  });

  it("TN3: names without a valid character get a hash of the whole name", () => {
    expect(sanitizeToolName("検索ツール")).toMatch(/^tool_[0-9a-f]{8}$/);
    expect(sanitizeToolName("検索")).not.toBe(sanitizeToolName("翻訳"));
  });

  it("keeps a blank name blank", () => {
    expect(sanitizeToolName("  ")).toBe("");
  });

  it("puts an underscore before a digit at the start", () => {
    expect(sanitizeToolName("3D plot")).toBe("_3d_plot");
  });

  it("TN1, TN2: is idempotent and always fit for providers", () => {
    const names = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ minLength: 60, maxLength: 90, unit: fc.constantFrom("a", "_", "3", "B", " ") }),
    );
    fc.assert(
      fc.property(names, (name) => {
        const sanitized = sanitizeToolName(name);
        expect(sanitizeToolName(sanitized)).toBe(sanitized);
        expect(sanitized).toMatch(name.trim() === "" ? /^$/ : /^[a-z_][a-z0-9_]{0,63}$/);
      }),
    );
  });
});

describe("uniqueToolNames", () => {
  it("suffixes the second tool of a name", () => {
    expect(uniqueToolNames(["search", "Search", "search"])).toEqual([
      "search",
      "search_2",
      "search_3",
    ]);
  });

  it("skips a used suffixed name, and stays within 64 characters", () => {
    expect(uniqueToolNames(["search_2", "search", "search"])).toEqual([
      "search_2",
      "search",
      "search_3",
    ]);
    const long = "b".repeat(64);
    expect(uniqueToolNames([long, long])).toEqual([long, `${"b".repeat(62)}_2`]);
  });
});

describe("closestToolName", () => {
  it("forgives missing underscores", () => {
    expect(similarity("serperdevtool", "serper_dev_tool")).toBeCloseTo(0.929, 3);
    expect(closestToolName("serperdevtool", ["calculator", "SerperDevTool"])).toBe("SerperDevTool");
  });

  it("refuses names with too little similarity", () => {
    expect(similarity("calculate", "calculator")).toBeCloseTo(0.842, 3);
    expect(similarity("search_web", "search")).toBe(0.75);
    expect(closestToolName("calculate", ["calculator"])).toBeUndefined();
    expect(closestToolName("search_web", ["search"])).toBeUndefined();
  });

  it("delegate_work_to_co_worker is the delegation tool", () => {
    expect(similarity("delegate_work_to_co_worker", "delegate_work_to_coworker")).toBeCloseTo(
      0.98,
      3,
    );
    expect(closestToolName("delegate_work_to_co_worker", ["Delegate work to coworker"])).toBe(
      "Delegate work to coworker",
    );
  });

  it("prefers the equal name and knows no blank one", () => {
    expect(closestToolName("search_papers", ["search_paper", "search_papers"])).toBe(
      "search_papers",
    );
    expect(closestToolName("", ["search"])).toBeUndefined();
  });
});

it("similarity is 1 for equal texts and between 0 and 1 for any", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (a, b) => {
      expect(similarity(a, a)).toBe(1);
      expect(similarity(a, b)).toBeGreaterThanOrEqual(0);
      expect(similarity(a, b)).toBeLessThanOrEqual(1);
    }),
  );
});
