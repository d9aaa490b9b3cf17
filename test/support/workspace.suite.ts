// What the workspace of a run does, wherever its files are: `describeWorkspace(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/base/sha256.ts";
import { bytesOf } from "../../src/files/stream-bytes.ts";
import type { Workspace } from "../../src/files/workspace.ts";

export type WorkspaceForm = {
  readonly name: string;
  /** Empty workspaces of runs of one tenant. */
  readonly open: () => Promise<(runId: string) => Workspace> | ((runId: string) => Workspace);
};

export function describeWorkspace({ name, open }: WorkspaceForm): void {
  describe(`a workspace ${name}`, () => {
    let workspace: Workspace;
    let of: (runId: string) => Workspace;

    beforeEach(async () => {
      of = await open();
      workspace = of("r");
    });

    const text = async (path: string): Promise<string | undefined> => {
      const file = await workspace.read(path);
      return file && new TextDecoder().decode(file.content);
    };

    it.each([
      "a/../b",
      "/etc/x",
      "a\\b",
      "x".repeat(256),
      `${"ü".repeat(128)}/a`,
      "..",
      "../a",
      "a/..",
      "",
      ".",
      "./",
      "a//b",
      "a/",
      "a/./b",
      "a/b.",
      "a /b",
      "a\u0000b",
      "a\nb",
      "c:/a",
    ])("WSP1: refuses the path %j (FT44)", async (path) => {
      const refused = { code: "invalid_input" };
      await expect(workspace.write(path, "x")).rejects.toMatchObject(refused);
      await expect(workspace.read(path)).rejects.toMatchObject(refused);
      await expect(workspace.stat(path)).rejects.toMatchObject(refused);
      await expect(workspace.open(path)).rejects.toMatchObject(refused);
      await expect(workspace.delete(path)).rejects.toMatchObject(refused);
    });

    it("WSP1: has one spelling of a path", async () => {
      const { path } = await workspace.write("./Bu\u0308cher/\u212b.txt", "x");
      expect(path).toBe("B\u00fccher/\u00c5.txt");
      expect(await text("B\u00fccher/\u00c5.txt")).toBe("x");
    });

    it("gives files as they were written, whole and in pieces", async () => {
      expect(await workspace.read("a.csv")).toBeUndefined();
      expect(await workspace.stat("a.csv")).toBeUndefined();
      expect(await workspace.open("a.csv")).toBeUndefined();
      const written = await workspace.write("dir/a.csv", "a,b\u00fc", "text/csv");
      expect(written).toEqual({
        path: "dir/a.csv",
        mediaType: "text/csv",
        bytes: 5,
        sha256: sha256Hex("a,b\u00fc"),
      });
      expect(await workspace.stat("dir/a.csv")).toEqual(written);
      expect(await workspace.read("dir/a.csv")).toEqual({
        content: new TextEncoder().encode("a,b\u00fc"),
        mediaType: "text/csv",
      });
      const { stream, ...file } =
        (await workspace.open("dir/a.csv", { offset: 2, length: 1 })) ?? {};
      expect(file).toEqual(written);
      expect(await bytesOf(stream as ReadableStream<Uint8Array>)).toEqual(Uint8Array.of(0x62));
      await workspace.write("dir/a.csv", new Uint8Array([0, 255]));
      expect(await workspace.stat("dir/a.csv")).toMatchObject({
        mediaType: "application/octet-stream",
        bytes: 2,
      });
      expect((await of("other").list()).length).toBe(0);
    });

    it("lists its files by path, all of them or those of a folder", async () => {
      for (const path of ["b/x", "a", "b/c/y", "bb/z", "B/z"]) await workspace.write(path, path);
      const paths = async (folder?: string): Promise<readonly string[]> =>
        (await workspace.list(folder)).map(({ path }) => path);
      expect(await paths()).toEqual(["B/z", "a", "b/c/y", "b/x", "bb/z"]);
      for (const folder of ["b", "b/", "./b"])
        expect(await paths(folder)).toEqual(["b/c/y", "b/x"]);
      for (const folder of ["", ".", "./"]) expect(await paths(folder)).toHaveLength(5);
      expect(await paths("c")).toEqual([]);
      await expect(workspace.list("../b")).rejects.toMatchObject({
        code: "invalid_input",
      });
      expect(await workspace.delete("b/x")).toBe(true);
      expect(await workspace.delete("b/x")).toBe(false);
      expect(await paths("b")).toEqual(["b/c/y"]);
    });

    it("WSP2: makes a change of several files whole or not at all", async () => {
      const a = await workspace.write("a", "1");
      await workspace.write("b", "2");
      const changed = await workspace.change([
        { path: "a", content: "one", before: a.sha256 },
        { path: "b", content: null },
        { path: "c", content: "three", mediaType: "text/plain", before: null },
        { path: "gone", content: null, before: null },
      ]);
      expect(changed.map(({ path, bytes }) => [path, bytes])).toEqual([
        ["a", 3],
        ["c", 5],
      ]);
      expect([await text("a"), await text("b"), await text("c")]).toEqual([
        "one",
        undefined,
        "three",
      ]);
      const conflict = {
        code: "conflict",
        message: expect.stringContaining("changed in the meantime"),
      };
      for (const wrong of [
        { path: "c", content: "4", before: a.sha256 },
        { path: "c", content: null, before: null },
        { path: "d", content: "4", before: a.sha256 },
      ])
        await expect(
          workspace.change([{ path: "a", content: "lost" }, { path: "x", content: "lost" }, wrong]),
        ).rejects.toMatchObject(conflict);
      expect((await workspace.list()).map(({ path }) => path)).toEqual(["a", "c"]);
      expect(await text("a")).toBe("one");
    });

    it("WSP2: moves bytes from one path to another", async () => {
      await workspace.write("a", "same");
      await workspace.change([
        { path: "a", content: null },
        { path: "b", content: "same" },
      ]);
      expect([await text("a"), await text("b")]).toEqual([undefined, "same"]);
      await workspace.change([
        { path: "b", content: "other" },
        { path: "c", content: "same" },
      ]);
      expect([await text("b"), await text("c")]).toEqual(["other", "same"]);
    });

    it("WSP3: has at most 200 MB", async () => {
      const full = { code: "limit_exceeded" };
      await workspace.write("a", "1");
      await expect(workspace.write("b", new Uint8Array(200_000_001))).rejects.toMatchObject(full);
      expect(await workspace.list()).toHaveLength(1);
    });
  });
}
