import { describe, expect, it } from "vitest";
import { documentsOf, type KnowledgeSource } from "../../../src/knowledge/knowledge-source.ts";

const of = (...sources: readonly KnowledgeSource[]) => documentsOf(sources, "knowledgeSources");

describe("documentsOf", () => {
  it("takes CrewAI's sources by their type, each path a document", () => {
    expect(
      of(
        { source_type: "string", content: "Ann is 42." },
        { source_type: "pdf", file_paths: ["a.pdf", "b.pdf"], chunk_size: 1000 },
        { source_type: "excel", file_path: "/data/c.xlsx" },
        { sourceType: "docling", filePaths: ["https://example.com/d.html"] },
      ),
    ).toEqual([
      { name: "string Ann is 42.", text: "Ann is 42.", type: "text" },
      { name: "a.pdf", path: "knowledge/a.pdf", type: "pdf", chunking: { size: 1000 } },
      { name: "b.pdf", path: "knowledge/b.pdf", type: "pdf", chunking: { size: 1000 } },
      { name: "/data/c.xlsx", path: "data/c.xlsx", type: "xlsx" },
      { name: "https://example.com/d.html", url: "https://example.com/d.html" },
    ]);
  });

  it("takes documents as they are", () => {
    const source = { name: "terms", text: "Pay.", chunking: { rule: "lines" } } as const;
    expect(of(source)).toEqual([source]);
  });

  it.each<[unknown, RegExp]>([
    ["a.pdf", /knowledgeSources\[0\] must be a knowledge source, got "a.pdf"/],
    [{ source_type: "video" }, /source_type must be one of string, text_file.*got "video"/],
    [{ source_type: "string", content: 4 }, /content must be a text, got 4/],
    [{ source_type: "csv", file_paths: [] }, /file_paths must be paths, at least one, got \[\]/],
    [{ source_type: "csv", file_paths: [4] }, /file_paths\[0\] must be a path, got 4/],
    [
      { source_type: "csv", file_paths: ["a"], chunk_size: 10, chunk_overlap: 10 },
      /overlap .* less than the size, 10/,
    ],
    [{ name: "x" }, /must have one of text, path, url and base64, got none/],
    [{ name: "x", text: "a", url: "b" }, /got text and url/],
    [{ name: "", text: "a" }, /name must be a text of 1 to 256 characters/],
    [{ name: "x", path: " " }, /path must be a text/],
    [
      { name: "x", path: "a", encoding: "nope" },
      /encoding must be the name of an encoding.*got "nope"/,
    ],
    [
      { source_type: "csv", file_paths: ["a.csv"], encoding: 5 },
      /encoding must be the name of an encoding/,
    ],
  ])("refuses %j", (source, message) => {
    expect(() => of(source as KnowledgeSource)).toThrow(message);
  });

  it("refuses two documents of one name", () => {
    expect(() => of({ name: "a", text: "1" }, { name: "a", text: "2" })).toThrow(
      /two documents named "a"/,
    );
  });
});
