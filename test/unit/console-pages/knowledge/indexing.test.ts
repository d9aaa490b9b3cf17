import { expect, it } from "vitest";
import {
  applyIndexing,
  nameOfAddress,
  placeOf,
  rangeIn,
  type IndexingMap,
} from "../../../../console/pages/knowledge/indexing.ts";

const of = (type: string, more: object = {}) => ({
  type: `knowledge_document_${type}`,
  runId: "r",
  document: "a.md",
  ...more,
});

it("follows a document from its start to its end by events, which may come twice", () => {
  const events = [of("started"), of("progress", { indexed: 5, chunks: 20 })];
  const half = [...events, ...events].reduce(applyIndexing, {} as IndexingMap);
  expect(Object.values(half)).toEqual([
    { name: "a.md", runId: "r", state: "indexing", indexed: 5, chunks: 20 },
  ]);
  const whole = applyIndexing(half, of("completed", { chunks: 20, embedded: 20 }));
  expect(whole["r a.md"]).toMatchObject({ state: "ready", indexed: 20 });
});

it("ends the unfinished documents of a failed run, and no others", () => {
  const map = [of("started"), { ...of("completed", { chunks: 1 }), document: "b.md" }].reduce(
    applyIndexing,
    {} as IndexingMap,
  );
  const ended = applyIndexing(map, { type: "run_failed", runId: "r", error: { message: "full" } });
  expect(ended["r a.md"]).toMatchObject({ state: "failed", error: "full" });
  expect(ended["r b.md"]).toMatchObject({ state: "ready" });
  expect(applyIndexing(map, { type: "run_cancelled", runId: "other" })).toEqual(map);
});

it("formats places, and reads ranges and names from addresses", () => {
  expect(placeOf({ sheet: "Prices", row: 3 })).toBe("sheet Prices, row 3");
  expect(placeOf({ heading: "Returns", line: 14 })).toBe("“Returns”, line 14");
  expect(rangeIn("12-40")).toEqual({ start: 12, end: 40 });
  expect(rangeIn("nonsense")).toBeUndefined();
  expect(nameOfAddress("https://example.com/docs/hand%20book.html?x=1")).toBe("hand book.html");
  expect(nameOfAddress("https://example.com/")).toBe("example.com");
  expect(nameOfAddress("not one")).toBe("");
});
