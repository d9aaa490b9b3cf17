// Structured data as text: JSON, JSON Lines, YAML, notebooks, subtitles.
import { describe, expect, it } from "vitest";
import type { DocumentReader } from "../../../../src/knowledge/document-text.ts";
import { jsonLinesReader, jsonReader } from "../../../../src/knowledge/readers/json-reader.ts";
import { notebookReader } from "../../../../src/knowledge/readers/notebook-reader.ts";
import { subtitleReader } from "../../../../src/knowledge/readers/subtitle-reader.ts";
import { yamlReader } from "../../../../src/knowledge/readers/yaml-reader.ts";

const read = (reader: DocumentReader, text: string) =>
  reader.read(new TextEncoder().encode(text), { maxCharacters: 100_000 });

describe("JSON", () => {
  it("DT1: has each number as it is written", async () => {
    const text =
      '{"id": 12345678901234567890, "price": 1.10, "tiny": 1e-7, "big": 1E400, "n": [-0.0, 5]}';
    expect((await read(jsonReader, text)).text).toBe(
      "id: 12345678901234567890\nprice: 1.10\ntiny: 1e-7\nbig: 1E400\nn:\n  - -0.0\n  - 5\n",
    );
  });

  it("DT2: has a blank line between records of a list, and keeps names that come twice", async () => {
    expect((await read(jsonReader, '[{"a":1,"a":2},{"b":{"c":"\\u00fc"}}]')).text).toBe(
      "a: 1\na: 2\n\nb:\n  c: ü\n",
    );
  });

  it("is parsed as JSON.parse does", async () => {
    const texts = ['""', "[]", "{}", " [1 , 2]\n", '{"a":[{}]}', '"\\"\\\\"', "true", "[[[]],[]]"];
    for (const text of texts) await read(jsonReader, text);
    for (const text of [
      "",
      "[1,]",
      "{,}",
      '{"a"}',
      '"a',
      "[1 2]",
      "01",
      "+1",
      '"\n"',
      "[1]]",
      "nul",
    ])
      await expect(read(jsonReader, text)).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/^the document must be JSON: line \d+: /),
      });
  });

  it("names the line of a fault", async () => {
    await expect(read(jsonReader, '{\n"a": 1,\n}')).rejects.toThrow(
      /line 3: expected a name, got "}"/,
    );
  });

  it("is JSON Lines if its first lines are values", async () => {
    const { text, marks } = await read(jsonReader, '{"a":1}\n{"a":2}\n');
    expect(text).toBe("a: 1\na: 2\n");
    expect(marks).toEqual([{ offset: 0, line: 1 }]);
  });
});

describe("JSON Lines", () => {
  it("DT2: is a line of named values for each record, with its line in the file", async () => {
    const { text, marks, losses } = await read(
      jsonLinesReader,
      `{"q":"when\\nopen","tags":["a","b"]}\n${"\n".repeat(9)}{"who":{"name":"Ada","of":[{"id":1.0},{"id":2}]},"none":""}\n`,
    );
    expect(text).toBe("q: when open | tags: a, b\nwho.name: Ada | who.of.id: 1.0 | who.of.id: 2\n");
    expect(marks).toEqual([
      { offset: 0, line: 1 },
      { offset: 26, line: 11 },
    ]);
    expect(losses).toBeUndefined();
  });

  it("keeps broken lines, and reports them", async () => {
    const { text, losses } = await read(jsonLinesReader, '{"a":1}\n{"a":\n{"a":3}\n');
    expect(text).toBe('a: 1\n{"a":\na: 3\n');
    expect(losses).toMatchObject([{ kind: "malformed", count: 1, place: { line: 2 } }]);
    await expect(read(jsonLinesReader, "no\nJSON\n")).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("YAML", () => {
  it("DT1: has scalars as they are written, and every document", async () => {
    const { text } = await read(
      yamlReader,
      "zip: 007\nprice: 1.10\non: yes\nbase: &b {a: 1}\ncopy: *b\ntagged: !!int 5\n--- # next\nnote: |\n  two\n  lines\n",
    );
    expect(text).toBe(
      "zip: 007\nprice: 1.10\non: yes\nbase:\n  a: 1\ncopy:\n  a: 1\ntagged: 5\n\nnote: two\nlines\n\n",
    );
  });

  it("names the place of a fault", async () => {
    await expect(read(yamlReader, "a: 1\nb: [")).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/must be YAML: line 2, column/),
    });
  });
});

describe("notebooks", () => {
  const notebook = (cells: readonly unknown[]) => JSON.stringify({ cells, metadata: {} });

  it("are their texts, code and outputs; pictures are reported", async () => {
    const { text, losses, format } = await read(
      notebookReader,
      notebook([
        { cell_type: "markdown", source: ["# Prices\n", "of tea"] },
        {
          cell_type: "code",
          source: "price = 1.10",
          outputs: [
            { output_type: "stream", text: ["done\n"] },
            { data: { "text/plain": "<Figure size 1x1>", "image/png": "iVBORw0" } },
            { data: { "text/html": "<b>3</b>", "text/plain": ["3"] } },
            { ename: "KeyError", evalue: "'tea'", traceback: ["\u001b[31mlong"] },
          ],
        },
      ]),
    );
    expect(text).toBe(
      "# Prices\nof tea\n\n```python\nprice = 1.10\n```\n\n```\ndone\n```\n\n```\n3\n```\n\n```\nKeyError: 'tea'\n```",
    );
    expect(format).toBe("markdown");
    expect(losses).toMatchObject([{ kind: "picture", count: 1 }]);
  });

  it("of version 3 have worksheets", async () => {
    const cells = [
      { cell_type: "heading", level: 2, source: "Tea" },
      { cell_type: "code", input: ["1+1"], outputs: [{ text: "2", png: "iVBORw0" }] },
    ];
    const { text } = await read(notebookReader, JSON.stringify({ worksheets: [{ cells }] }));
    expect(text).toBe("## Tea\n\n```python\n1+1\n```\n\n```\n2\n```");
  });

  it("are refused without cells", async () => {
    for (const text of ["{}", "[]", "no"])
      await expect(read(notebookReader, text)).rejects.toThrow(/is no notebook/);
  });
});

it("subtitles are a line for each caption, behind its time", async () => {
  const { text, marks } = await read(
    subtitleReader,
    "1\r\n00:00:01,500 --> 00:00:03,000\r\n<i>Hello</i>\r\nthere\r\n\r\n2\r\n01:02:03,000 --> 01:02:04,000\r\n{\\an8}Bye\r\n",
  );
  expect(text).toBe("[00:00:01] Hello there\n[01:02:03] Bye\n");
  expect(marks).toEqual([
    { offset: 0, line: 2 },
    { offset: 23, line: 7 },
  ]);
});

describe("DT3: lines of data", () => {
  /** Lines of the document by the lines of its text. */
  const linesOf = async (reader: DocumentReader, source: string): Promise<readonly string[]> => {
    const { text, marks } = await read(reader, source);
    const own = source.split("\n");
    const shown: string[] = [];
    let at = 0;
    for (const line of text.split("\n").slice(0, -1)) {
      const mark = marks.findLast(({ offset }) => offset <= at);
      const further = text.slice(mark?.offset, at).split("\n").length - 1;
      if (line !== "") shown.push(`${line} < ${own[(mark?.line ?? 0) + further - 1]?.trim()}`);
      at += line.length + 1;
    }
    return shown;
  };

  it("are those of the names and items of JSON, across brackets, records and blank lines", async () => {
    const source =
      '[\n  {\n    "tea": "green",\n\n    "in": {\n      "box":\n        [\n          1,\n          2\n        ]\n    }\n  },\n  {\n    "tea": "black"\n  }\n]\n';
    expect(await linesOf(jsonReader, source)).toEqual([
      'tea: green < "tea": "green",',
      'in: < "in": {',
      '  box: < "box":',
      "    - 1 < 1,",
      "    - 2 < 2",
      'tea: black < "tea": "black"',
    ]);
  });

  it("are those of YAML, across comments, documents, blocks and aliases", async () => {
    const source =
      "# Teas\nbase: &b\n  pot: iron\n\ncopy: *b\nlist:\n  - one\n  # next\n  - two: 2\n---\n\nend: yes\n";
    expect(await linesOf(yamlReader, source)).toEqual([
      "base: < base: &b",
      "  pot: iron < pot: iron",
      "copy: < copy: *b",
      "  pot: iron < pot: iron",
      "list: < list:",
      "  - one < - one",
      "  - < - two: 2",
      "    two: 2 < - two: 2",
      "end: yes < end: yes",
    ]);
  });

  it("are the same as the text's for any value that is printed with one name a line", async () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 0) % below;
    };
    let names = 0;
    const value = (depth: number): unknown => {
      const kind = depth > 3 ? 0 : random(3);
      if (kind === 0) return `v${++names}`;
      const inner = Array.from({ length: 1 + random(4) }, () => value(depth + 1));
      return kind === 1 ? inner : Object.fromEntries(inner.map((each) => [`n${++names}`, each]));
    };
    for (let round = 0; round < 100; round++) {
      const source = JSON.stringify([value(0), value(0)], null, 2);
      for (const line of await linesOf(jsonReader, source)) {
        const [shown = "", from = ""] = line.split(" < ");
        for (const name of shown.match(/[nv]\d+/g) ?? []) expect(from).toContain(`"${name}"`);
      }
    }
  });

  it("are left out for a document on one line, and behind the limit of marks", async () => {
    expect((await read(jsonReader, '{"a":1,"b":2}\n')).marks).toEqual([]);
    const many = Array.from({ length: 60_000 }, (_, index) => `{"a":${index}}`).join(",\n\n\n");
    const { marks } = await jsonReader.read(new TextEncoder().encode(`[${many}]`), {
      maxCharacters: 1_000_000,
    });
    expect(marks).toHaveLength(50_001);
    expect(marks.at(-1)).not.toHaveProperty("line");
  });
});
