import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import type { Workspace } from "../../files/workspace.ts";
import { toolResult } from "../tool-result.ts";
import { tool, type Tool } from "../tool.ts";
import { applyHunks } from "./apply-hunks.ts";
import { readPatch, type FilePatch } from "./patch.ts";
import { noFile, readText, textTypeOf, type TextFile } from "./text-files.ts";
import { changeOnce, inWorkspace, pathIn, type MadeChange } from "./workspace-call.ts";

const PATH = z.string().min(1).describe("Relative to the workspace, such as notes/plan.md");
const SHARED = { effect: "idempotent", cache: () => false, allowRepeat: true } as const;

export function writeFileTool(): Tool {
  return tool({
    ...SHARED,
    name: "write_file",
    description:
      "Write a text file in the workspace of this run. What is at the path already is replaced.",
    input: z.object({ path: PATH, content: z.string().describe("The whole content of the file") }),
    run: ({ path, content }) =>
      inWorkspace(async (workspace) => {
        const file = await workspace.write(pathIn(path), content, textTypeOf(path));
        return toolResult({ text: `Wrote ${file.bytes} bytes to ${file.path}`, files: [file] });
      }),
  });
}

export function updateFileTool(): Tool {
  return tool({
    ...SHARED,
    name: "update_file",
    description:
      "Replace a piece of a text file in the workspace by another. The first place with exactly this piece is changed, so give enough of what is around it.",
    input: z.object({
      path: PATH,
      old_content: z.string().min(1).describe("What is there, letter by letter"),
      new_content: z.string().describe("What is to be there"),
    }),
    run: ({ path, old_content: old, new_content: replacement }, context) =>
      inWorkspace(async (workspace) => {
        const { files, note } = await changeOnce(workspace, context, async () => {
          const { path: own, text, sha256: before, mediaType } = await readText(workspace, path);
          const at = text.indexOf(old);
          if (at === -1)
            throw new EngineError("not_found", `${own} does not have this piece: read it again`);
          const content = text.slice(0, at) + replacement + text.slice(at + old.length);
          const count = text.split(old).length - 1;
          return {
            changes: [{ path: own, before, content, mediaType }],
            ...(count > 1
              ? { note: ` The piece was there ${count} times; the first was changed.` }
              : undefined),
          };
        });
        return toolResult({ text: `Updated ${files[0]?.path ?? path}.${note}`, files });
      }),
  });
}

export function deleteFileTool(): Tool {
  return tool({
    ...SHARED,
    name: "delete_file",
    description: "Delete a file from the workspace of this run.",
    input: z.object({ path: PATH }),
    run: ({ path }, context) =>
      inWorkspace(async (workspace) => {
        const own = pathIn(path);
        await changeOnce(workspace, context, async () => {
          const file = await workspace.stat(own);
          if (file === undefined) throw noFile(own);
          const { sha256: before, mediaType } = file;
          return { changes: [{ path: own, before, content: null, mediaType }] };
        });
        return `Deleted ${own}`;
      }),
  });
}

export function applyPatchTool(): Tool {
  return tool({
    ...SHARED,
    name: "apply_patch",
    description:
      "Change several text files of the workspace at once, by a unified diff or by a patch between `*** Begin Patch` and `*** End Patch` with sections `*** Add File: path`, `*** Update File: path` and `*** Delete File: path`. If one piece does not fit, nothing is changed.",
    input: z.object({ patch: z.string().min(1) }),
    run: ({ patch }, context) =>
      inWorkspace(async (workspace) => {
        const patches = readPatch(patch);
        const { files } = await changeOnce(workspace, context, async () => ({
          changes: await patched(workspace, patches),
        }));
        return toolResult({ text: patches.map(patchNote).join("\n"), files });
      }),
  });
}

/** Returns the new contents of files. Each file is changed by its sections, in their order. */
async function patched(
  workspace: Workspace,
  patches: readonly FilePatch[],
): Promise<readonly MadeChange[]> {
  const first = new Map<string, TextFile | undefined>();
  const now = new Map<string, { readonly text: string; readonly mediaType: string } | undefined>();
  const load = async (path: string): Promise<string> => {
    const own = pathIn(path);
    if (!first.has(own)) {
      const exists = (await workspace.stat(own)) !== undefined;
      const file = exists ? await readText(workspace, own) : undefined;
      first.set(own, file);
      now.set(own, file);
    }
    return own;
  };
  for (const patch of patches) {
    const path = await load(patch.path);
    const there = now.get(path);
    if (patch.kind === "add") {
      if (there !== undefined)
        throw new EngineError("conflict", `${path} is there already: update it`);
      now.set(path, { text: patch.content, mediaType: textTypeOf(path) });
      continue;
    }
    if (there === undefined) throw noFile(path);
    if (patch.kind === "delete") {
      now.set(path, undefined);
      continue;
    }
    const text = applyHunks(path, there.text, patch.hunks);
    const to = patch.to === undefined ? path : await load(patch.to);
    if (to !== path && now.get(to) !== undefined)
      throw new EngineError("conflict", `${path} cannot be moved: ${to} is there already`);
    now.set(path, undefined);
    now.set(to, { text, mediaType: to === path ? there.mediaType : textTypeOf(to) });
  }
  return Array.from(now, ([path, file]) => ({
    path,
    before: first.get(path)?.sha256 ?? null,
    content: file?.text ?? null,
    mediaType: file?.mediaType ?? "",
  }));
}

function patchNote(patch: FilePatch): string {
  if (patch.kind === "add") return `Added ${patch.path}`;
  if (patch.kind === "delete") return `Deleted ${patch.path}`;
  return patch.to === undefined ? `Updated ${patch.path}` : `Moved ${patch.path} to ${patch.to}`;
}
