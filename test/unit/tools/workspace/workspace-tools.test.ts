import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { workspaceOf, type Workspace } from "../../../../src/files/workspace.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { workspaceTools } from "../../../../src/tools/workspace/workspace-tools.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

type Call = readonly [tool: string, args: object];

/** Makes calls one after another; the answer has what each was answered. */
function crewOf(calls: readonly Call[], options: { readonly readOnly?: boolean } = {}): Crew {
  const llm = scriptedModel(({ messages }) => {
    const told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    const next = calls[told.length];
    if (next === undefined) return JSON.stringify(told);
    return { toolCalls: [{ name: next[0], arguments: next[1] as never }] };
  });
  const agent = new Agent({
    role: "Editor",
    goal: "Edit",
    backstory: "You edit.",
    tools: workspaceTools(options),
    llm,
    maxIter: 40,
  });
  return new Crew({ tasks: [new Task({ description: "Edit", expectedOutput: "Edited", agent })] });
}

async function calling(
  calls: readonly Call[],
  {
    before = {},
    ...options
  }: { readonly before?: Record<string, string | Uint8Array>; readonly readOnly?: boolean } = {},
): Promise<{ readonly told: readonly string[]; readonly workspace: Workspace }> {
  const files = new InMemoryFileStore();
  const workspace = workspaceOf({ runId: "r", services: { files } });
  for (const [path, content] of Object.entries(before))
    await workspace.write(path, content, "text/plain");
  const run = crewOf(calls, options).start({ id: "r", files });
  return { told: JSON.parse((await run.output()).raw) as string[], workspace };
}

async function textsOf(workspace: Workspace): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { path } of await workspace.list())
    texts[path] = new TextDecoder().decode((await workspace.read(path))?.content);
  return texts;
}

describe("tools for the workspace", () => {
  it("write, read, list and find files", async () => {
    const { told, workspace } = await calling([
      ["list_files", {}],
      ["write_file", { path: "notes/a.md", content: "Grüße" }],
      ["write_file", { path: "./b.json", content: "{}" }],
      ["read_file", { path: "notes/a.md" }],
      ["read_file", { name: "notes/a.md" }],
      ["read_file", { file_name: "b.json", raw: true }],
      ["list_files", { path: "notes" }],
      ["list_files", {}],
      ["find_files", { pattern: "*.md" }],
      ["find_files", { pattern: "*.md", path: "notes/" }],
      ["find_files", { pattern: "x*" }],
      ["delete_file", { path: "b.json" }],
    ]);
    expect(told).toEqual([
      "No files.",
      "Wrote 7 bytes to notes/a.md",
      "Wrote 2 bytes to b.json",
      "Grüße",
      "Grüße",
      "{}",
      "notes/a.md (7 bytes)",
      "b.json (2 bytes)\nnotes/a.md (7 bytes)",
      "notes/a.md",
      "notes/a.md",
      "No files.",
      "Deleted b.json",
    ]);
    expect(await workspace.stat("notes/a.md")).toMatchObject({
      mediaType: "text/markdown; charset=utf-8",
    });
  });

  it("change the first of several equal pieces, and say how many there were (AG3)", async () => {
    const { told, workspace } = await calling(
      [
        ["update_file", { path: "a.txt", old_content: "x", new_content: "y" }],
        ["update_file", { path: "a.txt", old_content: "1 y", new_content: "$& one" }],
        ["update_file", { path: "a.txt", old_content: "gone", new_content: "" }],
        ["update_file", { path: "b.txt", old_content: "x", new_content: "" }],
      ],
      { before: { "a.txt": "1 x 2 x" } },
    );
    expect(told).toEqual([
      "Updated a.txt. The piece was there 2 times; the first was changed.",
      "Updated a.txt.",
      expect.stringContaining("a.txt does not have this piece"),
      expect.stringContaining('there is no file "b.txt"'),
    ]);
    expect(await textsOf(workspace)).toEqual({ "a.txt": "$& one 2 x" });
  });

  it("change several files by a patch, whole or not at all (AG4)", async () => {
    const before = { "a.txt": "one\ntwo\n", "b.txt": "three\n", "c.txt": "four\n" };
    const patch = (...body: string[]): string =>
      ["*** Begin Patch", ...body, "*** End Patch"].join("\n");
    const update = ["*** Update File: a.txt", "-two", "+TWO"];
    const { told, workspace } = await calling(
      [
        [
          "apply_patch",
          {
            patch: patch(
              ...update,
              "*** Delete File: c.txt",
              "*** Update File: b.txt",
              "-missing",
              "+x",
            ),
          },
        ],
        ["apply_patch", { patch: patch(...update, "*** Add File: b.txt", "+x") }],
        ["apply_patch", { patch: patch(...update, "*** Delete File: d.txt") }],
        [
          "apply_patch",
          { patch: patch(...update, "*** Update File: b.txt", "*** Move to: c.txt", "-three") },
        ],
        ["apply_patch", { patch: "no patch" }],
        ["apply_patch", { patch: patch("*** Add File: ../x", "+x") }],
        ["list_files", {}],
        [
          "apply_patch",
          {
            patch: patch(
              ...update,
              "*** Update File: b.txt",
              "*** Move to: d/b.txt",
              "@@",
              "-three",
              "+3",
              "*** Delete File: c.txt",
              "*** Add File: e.md",
              "+five",
            ),
          },
        ],
      ],
      { before },
    );
    expect(told).toEqual([
      expect.stringContaining(
        'the hunk for b.txt does not fit: the file does not have these lines: "missing"',
      ),
      expect.stringContaining("b.txt is there already"),
      expect.stringContaining('there is no file "d.txt"'),
      expect.stringContaining("c.txt is there already"),
      expect.stringContaining("the patch cannot be read"),
      expect.stringContaining('"../x" is outside the workspace (refused)'),
      "a.txt (8 bytes)\nb.txt (6 bytes)\nc.txt (5 bytes)",
      "Updated a.txt\nMoved b.txt to d/b.txt\nDeleted c.txt\nAdded e.md",
    ]);
    expect(await textsOf(workspace)).toEqual({
      "a.txt": "one\nTWO\n",
      "d/b.txt": "3\n",
      "e.md": "five\n",
    });
  });

  it("take a unified diff as well", async () => {
    const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n";
    const { workspace } = await calling([["apply_patch", { patch }]], {
      before: { "a.txt": "one\ntwo\n" },
    });
    expect(await textsOf(workspace)).toEqual({ "a.txt": "one\nTWO\n" });
  });

  it.each([
    ["write_file", { path: "/etc/x", content: "" }],
    ["write_file", { path: "a/../../b", content: "" }],
    ["read_file", { path: "../secret" }],
    ["update_file", { path: "..\\x", old_content: "a", new_content: "" }],
    ["delete_file", { path: "../x" }],
    ["list_files", { path: "../x" }],
    ["find_files", { pattern: "*", path: "/etc" }],
  ])("refuse to leave the workspace: %s %j", async (...call) => {
    const { told, workspace } = await calling([call as Call]);
    expect(told[0]).toMatch(/\(refused\)/);
    expect(await workspace.list()).toEqual([]);
  });

  it("report binary files, large files, missing files and invalid patterns", async () => {
    const { told } = await calling(
      [
        ["read_file", { path: "image" }],
        ["read_file", { path: "large" }],
        ["update_file", { path: "image", old_content: "a", new_content: "b" }],
        ["read_file", { path: "gone" }],
        ["find_files", { pattern: "[a" }],
      ],
      { before: { image: new Uint8Array([0, 1, 2]), large: new Uint8Array(40_000) } },
    );
    expect(told).toEqual([
      "application/octet-stream, 3 bytes, as base64:\nAAEC",
      "application/octet-stream, 40000 bytes: nobody here makes text of it",
      expect.stringContaining("image is no text in UTF-8"),
      expect.stringContaining('there is no file "gone"'),
      expect.stringContaining('"[a" is no pattern of paths'),
    ]);
  });

  it("may be the read-only ones", () => {
    const names = (readOnly?: boolean): readonly string[] =>
      workspaceTools(readOnly === undefined ? {} : { readOnly }).map(({ safeName }) => safeName);
    expect(names(true)).toEqual(["read_file", "find_files", "list_files"]);
    expect(names()).toEqual([
      ...names(true),
      "write_file",
      "update_file",
      "delete_file",
      "apply_patch",
    ]);
    expect(workspaceTools().map(({ effect }) => effect)).not.toContain("once");
  });
});

it("an interrupted call has changed its files once", async () => {
  const stores: InMemoryFileStore[] = [];
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const files = new InMemoryFileStore();
    stores.push(files);
    const crew = crewOf([
      ["write_file", { path: "a.txt", content: "a\nb\n" }],
      ["update_file", { path: "a.txt", old_content: "a", new_content: "aa" }],
      [
        "apply_patch",
        {
          patch:
            "*** Begin Patch\n*** Update File: a.txt\n+b2\n*** Add File: c.txt\n+c\n*** End Patch",
        },
      ],
      ["write_file", { path: "d.txt", content: "d" }],
      ["delete_file", { path: "d.txt" }],
    ]);
    return { program: crew.program(), services: { files } };
  });
  const ends = stores.map((files) =>
    Object.fromEntries(
      files.paths.map((path) => [path.replace(/^runs\/[^/]+\//, ""), files.text(path)]),
    ),
  );
  expect(ends[0]).toEqual({ "a.txt": "aa\nb\nb2\n", "c.txt": "c\n" });
  expect(cut.length).toBeGreaterThan(20);
  for (const [index, run] of cut.entries()) {
    expect(run.course.output, `cut ${index}`).toEqual(whole.course.output);
    expect(ends[index + 1]).toEqual(ends[0]);
  }
});
