import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { LinkedAbort } from "../../../src/base/linked-abort.ts";

it("aborts with the signal's reason, now or later", () => {
  const source = new AbortController();
  const early = new LinkedAbort(source.signal);
  source.abort("why");
  const late = new LinkedAbort(source.signal);
  expect([early.signal.reason, late.signal.reason]).toEqual(["why", "why"]);
});

it("leaves the signal alone once it is released", () => {
  const source = new AbortController();
  const linked = new LinkedAbort(source.signal);
  linked.release();
  expect(getEventListeners(source.signal, "abort")).toEqual([]);
  source.abort();
  expect(linked.signal.aborted).toBe(false);
});
