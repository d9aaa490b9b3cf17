import { describe, expect, it } from "vitest";
import { judge, type KnownFailure } from "../../../world/real-model/known-failures.ts";
import { faultsOf, type Run } from "../../../world/real-model/verdict.ts";

const run = (more: Partial<Run>): Run => ({
  id: "0:agent",
  kind: "agent",
  reasons: [],
  delegates: false,
  outcome: { state: "ended", output: { raw: "Tea." } },
  log: [{ atMs: 0, request: "a", status: 200, finish: "stop" }],
  ...more,
});
const failed = (code: string, message = ""): Run["outcome"] => ({ state: "failed", code, message });

it("VD1: finds a truncated answer that passes as a whole one", () => {
  const log = [{ atMs: 0, request: "a", status: 200, finish: "length" }] as const;
  expect(faultsOf(run({}))).toEqual([]);
  expect(faultsOf(run({ log }))).toEqual([{ what: "cut answer passes as whole" }]);
  const output = { raw: "Once", finishReason: "length" };
  expect(faultsOf(run({ log, outcome: { state: "ended", output } }))).toEqual([]);
});

it("VD2: accepts only a reason confirmed by the log and allowed by the program", () => {
  const away = [{ atMs: 0, request: "a", status: 503 }] as const;
  const outcome = failed("model_failed", "answered 503");
  expect(faultsOf(run({ outcome, log: away, reasons: ["outage"] }))).toEqual([]);
  expect(faultsOf(run({ outcome, log: away }))).toMatchObject([{ what: "unexpected end" }]);
  expect(faultsOf(run({ outcome, reasons: ["outage"] }))).toMatchObject([
    { what: "untrue reason" },
  ]);
  const cut = [{ atMs: 0, request: "a", status: 200, finish: "length", isShaped: true }] as const;
  const shape = { log: cut, reasons: ["shape"] } as const;
  expect(
    faultsOf(run({ ...shape, outcome: failed("output_invalid", "expected JSON") })),
  ).toMatchObject([{ what: "untrue reason" }]);
  const said = failed("output_invalid", "the answer was cut at its limit of tokens");
  expect(faultsOf(run({ ...shape, outcome: said }))).toEqual([]);
});

it("VD3: counts repeated requests", () => {
  const answered = { atMs: 0, request: "a", status: 200, finish: "stop" } as const;
  const away = { atMs: 0, request: "a", status: 503 } as const;
  expect(faultsOf(run({ log: [away, away, answered] }))).toEqual([]);
  expect(faultsOf(run({ log: [answered, answered] }))).toEqual([
    { what: "repeated", times: 2, allowed: 1 },
  ]);
  const call = { atMs: 0, request: "b", status: 200, finish: "tool_calls", text: "ask" } as const;
  const again = { ...call, request: "c" };
  const twice = { log: [call, answered, again, answered], delegates: true };
  expect(faultsOf(run(twice))).toEqual([]);
  expect(faultsOf(run({ ...twice, delegates: false }))).toMatchObject([{ what: "repeated" }]);
  const other = { ...twice, log: [call, answered, { ...again, text: "tell" }, answered] };
  expect(faultsOf(run(other))).toMatchObject([{ what: "repeated", times: 2, allowed: 1 }]);
  const tenTimes = [...Array.from({ length: 10 }, () => away), answered];
  expect(faultsOf(run({ log: tenTimes }))).toMatchObject([{ what: "repeated", times: 10 }]);
});

it("turns red for a row whose situation occurred without its failure", () => {
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

describe("rows of known failures", () => {
  const cut = { atMs: 0, request: "a", status: 200, finish: "length", text: "Once upon" } as const;
  const known = (more: Partial<Run>) => judge([[run(more), faultsOf(run(more))]]).failures;

  it("accept a limit behind a cut answer as a true reason when the log has it", () => {
    const said = failed("answer_cut_off", "x/m: its answer was cut at the limit 5 times");
    expect(known({ log: [cut], outcome: said })).toEqual([]);
    expect(known({ log: [{ ...cut, finish: "stop" }], outcome: said })).toHaveLength(1);
  });

  it("take a short outage for one as long as the server was away", () => {
    const away = { atMs: 4_000, request: "a", status: 503 } as const;
    const outcome = failed("model_failed", "answered 503");
    const more = { kind: "outage", outcome, reasons: [] };
    expect(known({ ...more, log: [away] })).toEqual([]);
    expect(known({ ...more, log: [{ ...away, atMs: 20_000 }] })).toHaveLength(2);
    const back = { ...away, request: "b", status: 200, finish: "stop" } as const;
    expect(known({ ...more, log: [away, back, away] })).toHaveLength(2);
  });
});
