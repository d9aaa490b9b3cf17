import { expect, it } from "vitest";
import { mayMatch, readFilters, toggled, toQuery } from "../../../../console/pages/runs/filters.ts";
import { inBatches } from "../../../../console/pages/runs/in-batches.ts";
import { parseSearch, writeSearch } from "../../../../console/shell/search-text.ts";
import { keyName } from "../../../../console/shell/keys.ts";

it("reads filters from an address, and names unknown ones (CO4)", () => {
  const search = parseSearch("?status=failed,cancelled&kind=crew&q=12&status2=x&waiting=nobody");
  expect(readFilters(search)).toEqual({
    status: "failed,cancelled",
    kind: "crew",
    q: "12",
    dropped: "status2, waiting",
  });
  expect(readFilters({ status: "failed,nope" })).toEqual({ dropped: "status" });
});

it("writes readable addresses (CO4)", () => {
  expect(writeSearch({ status: "failed", q: "a b", step: undefined, page: "" })).toBe(
    "?status=failed&q=a+b",
  );
});

it("adds to a list and removes from it", () => {
  expect([
    toggled(undefined, "a"),
    toggled("a", "b"),
    toggled("a,b", "a"),
    toggled("a", "a"),
  ]).toEqual(["a", "a,b", "b", undefined]);
});

it("asks the server for a period by its beginning", () => {
  expect(toQuery({ period: "day", kind: "crew", dropped: "x" }, Date.UTC(2026, 0, 2))).toEqual({
    kind: "crew",
    from: "2026-01-01T00:00:00.000Z",
  });
});

it("decides if a changed run may match the filters, and leaves text search to the server (CO4)", () => {
  const run = { status: "running", kind: "crew", name: "a" };
  expect(mayMatch({ status: "running,queued" }, run)).toBe(true);
  expect(mayMatch({ status: "failed" }, run)).toBe(false);
  expect(mayMatch({ top: "1" }, { ...run, parent: { id: "p" } })).toBe(false);
  expect(mayMatch({ q: "tea" }, run)).toBeUndefined();
});

it("handles five at once, and lists refused ones (CO30)", async () => {
  let under = 0;
  let most = 0;
  const refused = await inBatches(
    Array.from({ length: 30 }, (_, index) => index),
    async (index) => {
      most = Math.max(most, ++under);
      await Promise.resolve();
      under--;
      if (index % 10 === 3) throw new Error(`no ${index}`);
    },
  );
  expect(most).toBe(5);
  expect(refused.map(({ item }) => item)).toEqual([3, 13, 23]);
});

it("names keys the same on all machines", () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false };
  expect(keyName({ ...none, key: "K", metaKey: true })).toBe("ctrl k");
  expect(keyName({ ...none, key: "?" })).toBe("?");
  expect(keyName({ ...none, key: "Enter" })).toBe("Enter");
});
