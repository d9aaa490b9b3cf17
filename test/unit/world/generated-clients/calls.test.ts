import { describe, expect, it } from "vitest";
import { callsIn, failuresOf, type Call } from "../../../world/generated-clients/calls.ts";

const calls = (count: number, kinds: number): Call[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: `kind-${index % kinds}`,
    name: `call-${index}`,
    status: 200,
    ok: true,
    said: "",
  }));

describe("calls of a generated client", () => {
  it("are the lines of JSON its program prints", () => {
    const [call] = calls(1, 1);
    expect(callsIn(`a warning\n${JSON.stringify(call)}\n`)).toEqual([call]);
  });

  it("fail one by one, and when they are too few", () => {
    expect(failuresOf("python", calls(20, 10))).toEqual([]);
    expect(failuresOf("python", calls(20, 9))).toEqual([
      { id: "python", message: "20 calls of 9 kinds are too few" },
    ]);
    const failed = calls(20, 10).with(3, {
      kind: "a2a",
      name: "send",
      status: 400,
      ok: false,
      said: "no",
    });
    expect(failuresOf("python", failed)).toEqual([
      { id: "python/a2a/send", message: "answered 400: no" },
    ]);
  });
});
