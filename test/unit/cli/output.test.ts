import { describe, expect, it } from "vitest";
import { Output, cutTo, plain, type Sink } from "../../../src/cli/output.ts";

function outputOf(json: boolean, quiet = false) {
  const written = { out: "", err: "" };
  const sink = (name: "out" | "err"): Sink => ({
    write: (text) => void (written[name] += text),
    isTerminal: false,
  });
  const [stdout, stderr] = [sink("out"), sink("err")];
  const settings = { stdout, stderr, json, quiet, verbose: false, color: false };
  return { output: new Output(settings), written };
}

describe("the output of a command", () => {
  it("OUT1: results are on standard output alone, all else on standard error (CL3)", () => {
    for (const json of [false, true]) {
      const { output, written } = outputOf(json);
      output.note("beside");
      output.fault("a fault");
      output.result({ a: 1 }, () => "text");
      output.line({ b: 2 }, () => "line");
      expect(written).toEqual({
        out: json ? '{\n  "a": 1\n}\n{"b":2}\n' : "text\nline\n",
        err: "beside\na fault\n",
      });
    }
  });

  it("OUT1: faults are printed also when notes are off", () => {
    const { output, written } = outputOf(false, true);
    output.note("beside");
    output.fault("a fault");
    expect(written.err).toBe("a fault\n");
  });

  it.each([
    ["a\u001b[2Jb", "a [2Jb"],
    ["one\r\ntwo\u0007", "one two"],
    ["left\u202Eright", "left right"],
  ])("OUT3: %j moves no cursor", (text, expected) => {
    expect(plain(text)).toBe(expected);
    const { output, written } = outputOf(false);
    output.table({ rows: [text], value: [text], none: "" }, [{ title: "T", of: (row) => row }]);
    expect(written.out).toBe(`${expected}\n`);
  });

  it.each([
    ["short", 10, "…", "short"],
    ["longer than that", 10, "…", "longer th…"],
    ["longer than that", 10, "...", "longer ..."],
    ["一二三四五六", 7, "…", "一二三…"],
    ["一二三四五六", 6, "…", "一二…"],
    ["text", 0, "…", ""],
  ])("cuts %j to %i columns", (...[text, width, mark, expected]) => {
    expect(cutTo(text, width, mark)).toBe(expected);
  });
});
