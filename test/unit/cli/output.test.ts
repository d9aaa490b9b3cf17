import { describe, expect, it } from "vitest";
import { Output, cutTo, plain, widthOf, type Column, type Sink } from "../../../src/cli/output.ts";

type Row = {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly text: string;
};

const COLUMNS: readonly Column<Row>[] = [
  { title: "ID", of: ({ id }) => id },
  { title: "NAME", of: ({ name }) => name },
  { title: "KEY", of: ({ key }) => key, isWhole: true },
  { title: "TEXT", of: ({ text }) => text },
];
const ROWS: readonly Row[] = [
  {
    id: "0192f0c1-7d5e-7a10",
    name: "a crew with a name that is far too long",
    key: "task:research/ask",
    text: "Kind regards from the whole tea shop, and come back soon",
  },
  { id: "r2", name: "日本語の名前がとても長いクルー", key: "k", text: "👨‍👩‍👧‍👦 家族 👍🏽 ".repeat(6) },
];

function outputOf(json: boolean, quiet = false, columns?: number) {
  const written = { out: "", err: "" };
  const sink = (name: "out" | "err"): Sink => ({
    write: (text) => void (written[name] += text),
    isTerminal: columns !== undefined,
    columns,
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

  it.each([80, 100, 60, 20, 400])(
    "OUT2: a table fits a terminal of %i columns, with headings and with whole ids and keys",
    (columns) => {
      const { output, written } = outputOf(false, false, columns);
      output.table({ rows: ROWS, value: [], none: "" }, COLUMNS);
      const lines = written.out.trimEnd().split("\n");
      expect(lines[0]).toMatch(/^ID +NAME +KEY +TEXT$/);
      expect(lines[1]).toContain(ROWS[0]?.id);
      expect(lines[1]).toContain("task:research/ask");
      const widest = Math.max(...lines.map(widthOf));
      // Ids, keys and the least widths need 65 columns.
      expect(widest).toBeLessThanOrEqual(Math.max(columns, 65));
      expect(written.out.includes("…")).toBe(columns < 400);
      const keysAt = lines.slice(1).map((line) => widthOf(line.slice(0, line.search(/task:| k /))));
      expect(keysAt[0]).toBe((keysAt[1] ?? 0) + 1);
    },
  );

  it("OUT2: a pipe gets whole texts without headings, and JSON is the value", () => {
    const { output, written } = outputOf(false);
    output.table({ rows: ROWS, value: [], none: "" }, COLUMNS);
    expect(written.out.split("\n")[0]).toBe(Object.values(ROWS[0] ?? {}).join("\t"));
    const json = outputOf(true, false, 40);
    json.output.table({ rows: ROWS, value: [...ROWS], none: "" }, COLUMNS);
    expect(JSON.parse(json.written.out)).toEqual(ROWS);
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
