import { expect, it } from "vitest";
import { judge, type KnownFailure } from "../../../world/real-model/known-failures.ts";
import { faultsOf, type Run } from "../../../world/real-model/verdict.ts";

const run = (more: Partial<Run>): Run => ({
  id: "0:agent",
  kind: "agent",
  reasons: [],
  sameOnPurpose: 1,
  outcome: { state: "ended", output: { raw: "Tea." } },
  log: [{ request: "a", status: 200, finish: "stop" }],
  ...more,
});
const failed = (code: string, message = ""): Run["outcome"] => ({ state: "failed", code, message });

it("VD1: finds a cut answer that passes as a whole one", () => {
  const log = [{ request: "a", status: 200, finish: "length" }] as const;
  expect(faultsOf(run({}))).toEqual([]);
  expect(faultsOf(run({ log }))).toEqual([{ what: "cut answer passes as whole" }]);
  const output = { raw: "Once", finishReason: "length" };
  expect(faultsOf(run({ log, outcome: { state: "ended", output } }))).toEqual([]);
});

it("VD2: believes a reason that the log confirms and the program allows, and no other", () => {
  const away = [{ request: "a", status: 503 }] as const;
  const outcome = failed("model_failed", "answered 503");
  expect(faultsOf(run({ outcome, log: away, reasons: ["outage"] }))).toEqual([]);
  expect(faultsOf(run({ outcome, log: away }))).toMatchObject([{ what: "unexpected end" }]);
  expect(faultsOf(run({ outcome, reasons: ["outage"] }))).toMatchObject([
    { what: "untrue reason" },
  ]);
  const cut = [{ request: "a", status: 200, finish: "length", isShaped: true }] as const;
  const shape = { log: cut, reasons: ["shape"] } as const;
  expect(
    faultsOf(run({ ...shape, outcome: failed("output_invalid", "expected JSON") })),
  ).toMatchObject([{ what: "untrue reason" }]);
  const said = failed("output_invalid", "the answer was cut at its limit of tokens");
  expect(faultsOf(run({ ...shape, outcome: said }))).toEqual([]);
});

it("VD3: counts requests that are made again", () => {
  const answered = { request: "a", status: 200, finish: "stop" } as const;
  const away = { request: "a", status: 503 } as const;
  expect(faultsOf(run({ log: [away, away, answered] }))).toEqual([]);
  expect(faultsOf(run({ log: [answered, answered] }))).toEqual([
    { what: "repeated", times: 2, allowed: 1 },
  ]);
  const tenTimes = [...Array.from({ length: 10 }, () => away), answered];
  expect(faultsOf(run({ log: tenTimes }))).toMatchObject([{ what: "repeated", times: 10 }]);
});

it("turns red for a row whose situation came up without its failure", () => {
  const row: KnownFailure = {
    id: "hangs",
    reason: "it hangs",
    issue: "models",
    comesUp: () => true,
    matches: ({ what }) => what === "hung",
  };
  const hung = run({ outcome: { state: "hung", seconds: 1 } });
  expect(judge([[hung, faultsOf(hung)]], [row])).toEqual({
    passed: 0,
    known: { hangs: 1 },
    failures: [],
  });
  expect(judge([[run({}), []]], [row]).failures).toMatchObject([{ id: "hangs" }]);
});
