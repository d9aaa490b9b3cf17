import { expect, it } from "vitest";
import { TableSpans } from "../../../../src/knowledge/readers/table-spans.ts";

it("TS1: rows without cells of their own cost nothing, and a span is bounded in columns", () => {
  const spans = new TableSpans();
  spans.row();
  expect(spans.cell(1_000_000, 1_000_000_000)).toEqual([]);
  spans.write("x");
  expect(spans.rest()).toEqual([]);
  for (let row = 0; row < 100_000; row++) {
    spans.row();
    expect(spans.rest()).toEqual([]);
  }
  spans.row();
  expect(spans.cell(1, 1)).toHaveLength(1_000);
});
