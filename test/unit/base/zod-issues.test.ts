import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toIssues } from "../../../src/base/zod-issues.ts";

function issuesOf(schema: z.ZodType, given: unknown): readonly string[] {
  const { error } = schema.safeParse(given);
  return error === undefined
    ? []
    : toIssues(error, given).map(({ path, message }) => `${path} ${message}`);
}

describe("of a union", () => {
  const message = z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string() });
  const messages = z.object({ messages: z.union([z.string().min(1), z.array(message).min(1)]) });

  it.each([
    [5, "/messages expected string or array, got number 5"],
    [undefined, "/messages expected string or array, got nothing"],
    ["", '/messages expected at least 1 characters, got string ""'],
    [[], "/messages expected at least 1 items, got array []"],
  ])("%j is reported with the possible variants, or with its own fault", (given, expected) => {
    expect(issuesOf(messages, { messages: given })).toEqual([expected]);
  });

  it("reports the faults of the chosen variant, each at its place", () => {
    const given = { messages: [{ role: "bot", content: "x", name: "y" }] };
    expect(issuesOf(messages, given)).toEqual([
      '/messages/0/role expected one of "user", "assistant", got string "bot"',
      "/messages/0/name is not a known field",
    ]);
  });

  it("unions within unions are looked into", () => {
    const nested = z.union([z.string(), z.array(z.union([z.string(), message]))]);
    expect(issuesOf(nested, ["a", { role: "user", content: 3 }])).toEqual([
      "/1/content expected string, got number 3",
    ]);
    expect(issuesOf(nested, [7])).toEqual(["/0 expected string or object, got number 7"]);
  });

  it("reports the discriminating field of variants, or the other faults if that field is valid", () => {
    const part = z.union([
      z.strictObject({ type: z.literal("text"), text: z.string() }),
      z.strictObject({ type: z.enum(["image", "file"]), url: z.string() }),
    ]);
    expect(issuesOf(part, { type: "sound", url: "x" })).toEqual([
      '/type expected one of "text", "image", "file", got string "sound"',
    ]);
    expect(issuesOf(part, { type: "image", link: "x" })).toEqual([
      "/url expected string, got nothing",
      "/link is not a known field",
    ]);
  });

  it("literals are reported as they are written", () => {
    expect(issuesOf(z.union([z.literal(true), z.array(z.string())]), "yes")).toEqual([
      ' expected true or array, got string "yes"',
    ]);
  });
});
