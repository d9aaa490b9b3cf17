import { describe, expect, it } from "vitest";
import { file, readFileSource } from "../../../src/files/file-source.ts";
import { partFiles, readInputFiles } from "../../../src/files/started-files.ts";

const read = (input: unknown) =>
  readFileSource(input, { field: "inputFiles.a", code: "invalid_input" });
const bytes = async (input: unknown): Promise<string> => {
  const { content } = read(input);
  return "bytes" in content
    ? new TextDecoder().decode(await content.bytes())
    : JSON.stringify(content);
};

describe("the source of a file", () => {
  it("FSR1: is read from all forms of CrewAI's projects (FT28)", () => {
    const sources = readInputFiles(
      {
        a: "docs/a.pdf",
        b: { path: "b.txt" },
        c: "https://example.com/c.png",
        d: { source: "d.md", mode: "strict", content_type: "text/plain" },
      },
      { owner: "task" },
    );
    expect(Object.values(sources).map(({ content }) => content)).toEqual([
      { named: "docs/a.pdf" },
      { named: "b.txt" },
      { url: "https://example.com/c.png" },
      { named: "d.md" },
    ]);
    expect(sources["d"]?.options).toEqual({ mode: "strict", mediaType: "text/plain" });
  });

  it.each([
    ["bytes", new TextEncoder().encode("x")],
    ["an ArrayBuffer", new TextEncoder().encode("x").buffer],
    ["a Blob", new Blob(["x"])],
    ["base64", { data: "eA==" }],
    ["a data URL", { data: "data:text/plain;charset=utf-8;base64,eA==" }],
    ["a stream", new Response("x").body],
    ["a response", new Response("x")],
  ])("FSR1: is %s", async (_, input) => {
    expect(await bytes(input)).toBe("x");
  });

  it("is read once from a one-time stream", async () => {
    const { content } = read(new Response("x").body);
    if (!("bytes" in content)) throw new Error("there are no bytes");
    expect(await content.bytes()).toBe(await content.bytes());
  });

  it("has the name and the type of its value", () => {
    expect(read(new File(["x"], "a.txt", { type: "text/plain" })).options).toEqual({
      name: "a.txt",
      mediaType: "text/plain",
    });
    expect(read({ data: "data:text/csv;base64,eA==", name: "a" }).options).toEqual({
      name: "a",
      mediaType: "text/csv",
    });
    expect(file(file("a.txt", { mode: "warn" }), { name: "b" }).options).toEqual({
      mode: "warn",
      name: "b",
    });
  });

  it("with an error status rejects", async () => {
    await expect(bytes(new Response("no", { status: 404 }))).rejects.toThrow("has the status 404");
  });

  it.each([
    [3, "inputFiles.a must be a path, an id, a URL, bytes, or an object"],
    [{}, "inputFiles.a must have one of source, path, url, $file and data"],
    [{ path: "a", url: "https://example.com" }, "inputFiles.a must have one of"],
    [{ path: 3 }, "inputFiles.a must name a path, an id or a URL as text, got 3"],
    ["../a", 'inputFiles.a must not contain ".."'],
    [{ data: "%%" }, "inputFiles.a: data must be base64"],
    [{ path: "a", mode: "loud" }, "inputFiles.a: mode must be one of auto, warn, strict, chunk"],
    [{ path: "a", kind: "photo" }, "inputFiles.a: kind must be one of image"],
    [{ path: "a", byReference: 1 }, "inputFiles.a: byReference must be true or false"],
  ])("FSR2: cannot be %j", (input, message) => {
    expect(() => read(input)).toThrow(message);
  });

  it("among inputs is marked by $file", () => {
    const { inputs, files } = partFiles({
      topic: "tea",
      chart: { $file: "file_1", mode: "strict" },
    });
    expect(inputs).toEqual({ topic: "tea" });
    expect(files["chart"]).toMatchObject({
      content: { named: "file_1" },
      options: { mode: "strict" },
    });
  });
});
