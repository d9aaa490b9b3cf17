import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import { InMemoryFileStore } from "../../../../../src/files/in-memory-file-store.ts";
import { directoryRead } from "../../../../../src/tools/catalog/files/directory-read.ts";
import { fileCompressor } from "../../../../../src/tools/catalog/files/file-compressor.ts";
import { fileRead } from "../../../../../src/tools/catalog/files/file-read.ts";
import { fileWriter } from "../../../../../src/tools/catalog/files/file-writer.ts";
import { untar } from "../../../../../src/tools/catalog/files/tar.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { pdfOf, xlsxOf } from "../../../../support/documents.ts";
import { workspaceWith, type FilesByPath } from "../../../../support/document-world.ts";
import { callOf, toolSubject, type ToolCallWorld } from "../../../../support/tool-world.ts";

type Asked = ToolCallWorld & { readonly store: InMemoryFileStore };

async function ask(tool: Tool, input: JsonObject, files: FilesByPath = {}): Promise<Asked> {
  const store = await workspaceWith(files);
  return { ...(await callOf(tool, input, { services: { files: store } })), store };
}

const bytesIn = async (store: InMemoryFileStore, path: string): Promise<Uint8Array> =>
  (await store.get(`runs/run-1/${path}`))?.content ?? new Uint8Array();

describe("FileReadTool", () => {
  const LINES = ["one", "two", "three", "four"].join("\n");

  it("reads a text, or the requested lines", async () => {
    const files = { "notes/a.txt": LINES };
    const textOf = async (more: JsonObject) =>
      (await ask(fileRead(), { file_path: "notes/a.txt", ...more }, files)).text;
    expect(await textOf({})).toBe(LINES);
    expect(await textOf({ start_line: 2, line_count: 2 })).toMatch(/^two\nthree\n\[cut: /);
    expect(await textOf({ start_line: 3 })).toMatch(/^three\nfour/);
    expect(await textOf({ start_line: 99 })).toBe("There is no line 99: the text has 4 lines.");
  });

  it("cuts a long text, and names the line to continue from", async () => {
    const long = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n");
    const { text, extras } = await ask(fileRead(), { file_path: "a.txt" }, { "a.txt": long });
    expect(text.length).toBeLessThan(33_000);
    expect(text).toMatch(/\[cut: \d+ of \d+ characters; ask again with start_line \d+\]$/);
    expect(extras.untrusted).toEqual(["a.txt"]);
  });

  it("reads documents, and other encodings on request", async () => {
    const files = {
      "a.pdf": pdfOf("Teapots cost 45 euros."),
      "b.xlsx": xlsxOf({ Stock: [["Teapot", 4]] }),
      "c.txt": new Uint8Array([0xe9, 0x74, 0xe9]),
    };
    const textOf = async (file_path: string, options: object = {}) =>
      (await ask(fileRead(options), { file_path }, files)).text;
    expect(await textOf("a.pdf")).toContain("Teapots cost 45 euros.");
    expect(await textOf("b.xlsx")).toContain("Teapot");
    expect(await textOf("c.txt", { encoding: "latin1" })).toBe("été");
  });

  it("shows small binary files as base64, larger ones by type and size", async () => {
    const png = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10];
    const small = await ask(
      fileRead(),
      { file_path: "a.png" },
      { "a.png": new Uint8Array([...png, 0]) },
    );
    expect(small.text).toBe("a.png is no text: image/png, 9 bytes. As base64:\niVBORw0KGgoA");
    const large = new Uint8Array(40_000);
    large.set(png);
    const { text } = await ask(fileRead(), { file_path: "a.png" }, { "a.png": large });
    expect(text).toBe("a.png is no text: image/png, 40000 bytes.");
  });

  it("fails for a missing file, and for paths outside", async () => {
    const failed = async (file_path: string, options: object = {}) =>
      (await ask(fileRead(options), { file_path }, { "a.txt": "x" })).failure;
    expect(await failed("b.txt")).toMatchObject({ code: "not_found" });
    for (const path of ["../a.txt", "/etc/passwd", "a\\b", "file:///etc/passwd"])
      expect((await failed(path))?.code).toBe("refused");
    expect(await failed("/work/a.txt", { baseDir: "/work" })).toBeUndefined();
    expect((await failed("/other/a.txt", { baseDir: "/work" }))?.code).toBe("refused");
  });

  it("reads the file fixed by an option", async () => {
    const tool = fileRead({ filePath: "a.txt" });
    expect(tool.parameters["properties"]).not.toHaveProperty("file_path");
    expect((await ask(tool, {}, { "a.txt": "Tea." })).text).toBe("Tea.");
  });
});

describe("FileWriterTool", () => {
  it("writes a file, and returns its path", async () => {
    const input = { filename: "a.md", content: "# Tea", directory: "notes/" };
    const { text, extras, store } = await ask(fileWriter(), input);
    expect(text).toBe("Content successfully written to notes/a.md");
    expect(extras.files).toMatchObject([
      { path: "notes/a.md", bytes: 5, mediaType: "text/markdown" },
    ]);
    expect(store.text("runs/run-1/notes/a.md")).toBe("# Tea");
  });

  it("leaves another file alone, unless it may replace it", async () => {
    const files = { "a.txt": "old" };
    const input = { filename: "a.txt", content: "new" };
    const left = await ask(fileWriter(), input, files);
    expect(left.text).toBe("File a.txt already exists and overwrite option was not passed.");
    expect(left.store.text("runs/run-1/a.txt")).toBe("old");
    for (const overwrite of [true, "y", "Yes", "t", "true", "on", "1"]) {
      const { text, store } = await ask(fileWriter(), { ...input, overwrite }, files);
      expect(text).toBe("Content successfully written to a.txt");
      expect(store.text("runs/run-1/a.txt")).toBe("new");
    }
    for (const overwrite of [false, "n", "no", "off", "0"])
      expect((await ask(fileWriter(), { ...input, overwrite }, files)).text).toContain("already");
    expect((await ask(fileWriter(), { ...input, overwrite: "perhaps" }, files)).failure).toEqual(
      expect.objectContaining({ code: "bad_request" }),
    );
  });

  it("writes nowhere else", async () => {
    for (const input of [
      { filename: "../x", content: "x" },
      { filename: "x", content: "x", directory: "/etc" },
      { filename: "x", content: "x", directory: "a/../../b" },
    ]) {
      const { failure, store } = await ask(fileWriter(), input);
      expect(failure?.code).toBe("refused");
      expect(store.paths).toEqual([]);
    }
  });

  it("does not find its own file when it is cut off after it has written", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const files = new InMemoryFileStore();
      const input = { filename: "a.txt", content: "new" };
      return toolSubject(fileWriter(), input, { services: { files } });
    });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
    expect(whole.run.output).toMatchObject({ text: "Content successfully written to a.txt" });
  });
});

describe("DirectoryReadTool", () => {
  const files = { "a.txt": "1", "b/c.txt": "2", "b/d/e.txt": "3" };

  it("lists all files of a folder", async () => {
    const textOf = async (directory: string) =>
      (await ask(directoryRead(), { directory }, files)).text;
    expect(await textOf(".")).toBe("File paths: \n-a.txt\n-b/c.txt\n-b/d/e.txt");
    expect(await textOf("b/")).toBe("File paths: \n-b/c.txt\n-b/d/e.txt");
  });

  it("fails for a missing folder, and for one outside", async () => {
    const failed = async (directory: string) =>
      (await ask(directoryRead(), { directory }, files)).failure?.code;
    expect(await failed("c")).toBe("not_found");
    expect(await failed("a.txt")).toBe("not_found");
    expect(await failed("../")).toBe("refused");
  });
});

describe("FileCompressorTool", () => {
  const files = { "docs/a.txt": "Tea.", "docs/b/ö.txt": "x".repeat(100_000), "other.txt": "no" };

  it("packs a folder as zip, which others can read", async () => {
    const { text, store, extras } = await ask(fileCompressor(), { input_path: "docs" }, files);
    const packed = await bytesIn(store, "docs.zip");
    expect(text).toBe(`Packed 2 files into docs.zip (${packed.length} bytes).`);
    expect(extras.files).toMatchObject([{ path: "docs.zip", mediaType: "application/zip" }]);
    const names = unzipSync(packed);
    expect(Object.keys(names)).toEqual(["a.txt", "b/ö.txt"]);
    expect(strFromU8(names["a.txt"] ?? new Uint8Array())).toBe("Tea.");
    expect(packed.length).toBeLessThan(2000);
  });

  it.each(["tar", "tar.gz"])("packs as %s, which the system's tar reads", async (format) => {
    const input = { input_path: "docs/", output_path: `packed.${format}`, format };
    const { store } = await ask(fileCompressor(), input, files);
    const packed = await bytesIn(store, `packed.${format}`);
    const unpacked = format === "tar" ? packed : gunzipSync(packed);
    expect([...untar(unpacked)].map(({ path }) => path)).toEqual(["a.txt", "b/ö.txt"]);
    const folder = mkdtempSync(join(tmpdir(), "edgecrew-tar-"));
    try {
      writeFileSync(join(folder, "packed"), packed);
      execFileSync("tar", [format === "tar" ? "-xf" : "-xzf", "packed"], { cwd: folder });
      expect(readFileSync(join(folder, "b/ö.txt"), "utf8")).toBe("x".repeat(100_000));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("packs one file by its own name, and long paths", async () => {
    const one = await ask(fileCompressor(), { input_path: "docs/a.txt", format: "tar" }, files);
    expect([...untar(await bytesIn(one.store, "docs/a.txt.tar"))].map(({ path }) => path)).toEqual([
      "a.txt",
    ]);
    const long = `${"folder/".repeat(20)}${"n".repeat(90)}.txt`;
    const { store } = await ask(
      fileCompressor(),
      { input_path: ".", output_path: "all.tar", format: "tar" },
      { [long]: "x" },
    );
    expect([...untar(await bytesIn(store, "all.tar"))].map(({ path }) => path)).toEqual([long]);
  });

  it("names the known formats, and an existing target", async () => {
    const failed = async (input: JsonObject) =>
      (await ask(fileCompressor(), { input_path: "docs", ...input }, files)).failure;
    expect(await failed({ format: "tar.xz" })).toMatchObject({
      code: "bad_request",
      message: 'There is no format "tar.xz": use zip, tar, tar.gz.',
    });
    expect(await failed({ output_path: "a.tar" })).toMatchObject({ code: "bad_request" });
    expect(await failed({ input_path: "nothing" })).toMatchObject({ code: "not_found" });
    expect(await failed({ output_path: "../a.zip" })).toMatchObject({ code: "refused" });
    const there = { ...files, "docs.zip": "old" };
    const { text } = await ask(fileCompressor(), { input_path: "docs" }, there);
    expect(text).toBe("File docs.zip already exists and overwrite option was not passed.");
  });
});
