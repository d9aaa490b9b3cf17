import { describe, expect, it } from "vitest";
import { DocumentLosses, LOSS_KINDS } from "../../../src/knowledge/document-losses.ts";
import { TextBuilder } from "../../../src/knowledge/text-builder.ts";

describe("DocumentLosses", () => {
  it("counts each kind, with its first place and a few examples", () => {
    const losses = new DocumentLosses();
    losses.add("picture", { place: { page: 2 }, example: "logo.png" });
    losses.add("picture", { place: { page: 5 }, example: "plan.png", count: 3 });
    losses.add("comment", { place: { sheet: "Prices", row: 4 } });
    expect(losses.report()).toEqual({
      losses: [
        {
          kind: "picture",
          count: 4,
          place: { page: 2 },
          detail: "4 pictures without text, first on page 2: logo.png, plan.png, …",
        },
        {
          kind: "comment",
          count: 1,
          place: { sheet: "Prices", row: 4 },
          detail: "1 comment, left out, in row 4 in sheet Prices",
        },
      ],
    });
  });

  it("has no field without losses", () => {
    const losses = new DocumentLosses();
    losses.add("picture", { count: 0 });
    expect(losses.report()).toEqual({});
  });

  it("LOS1: is bounded for any number of losses and any examples", () => {
    const losses = new DocumentLosses();
    for (const kind of LOSS_KINDS)
      for (let each = 0; each < 10_000; each++)
        losses.add(kind, {
          place: { sheet: "s".repeat(10_000) },
          example: `${each}\u0000\u202e ${"🍵".repeat(5_000)}`,
        });
    const { losses: report = [] } = losses.report();
    expect(report).toHaveLength(LOSS_KINDS.length);
    for (const { detail, count } of report) {
      expect(count).toBe(10_000);
      expect(detail.length).toBeLessThan(600);
      expect(detail).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(JSON.stringify(report).length).toBeLessThan(20_000);
  });
});

describe("TextBuilder", () => {
  it("LOS2: reports a loss at the place of the last mark, beside the text", () => {
    const builder = new TextBuilder({ maxCharacters: 10 });
    builder.lose("hidden", { count: 2 });
    builder.add("tea", { page: 3 });
    builder.lose("page_without_text");
    expect(builder.build()).toMatchObject({
      text: "tea",
      losses: [
        { kind: "page_without_text", place: { page: 3 } },
        { kind: "hidden", count: 2, detail: "2 hidden texts, left out" },
      ],
    });
  });
});
