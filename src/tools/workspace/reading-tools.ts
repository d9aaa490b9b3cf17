import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { WorkspaceFile } from "../../files/workspace.ts";
import { tool, type Tool } from "../tool.ts";
import { globMatcher } from "./glob.ts";
import { folderIn, inWorkspace } from "./workspace-call.ts";

const MAX_FOUND = 500;
const FOLDER = z.string().default(".").describe("The folder to look in; . is the workspace itself");
const SHARED = { effect: "idempotent", cache: () => false, allowRepeat: true } as const;

export function listFilesTool(): Tool {
  return tool({
    ...SHARED,
    name: "list_files",
    description:
      "List the files in the workspace of this run, or in one of its folders, with their sizes.",
    input: z.object({ path: FOLDER }),
    run: ({ path }) =>
      inWorkspace(async (workspace) =>
        listed(
          await workspace.list(folderIn(path)),
          ({ path: name, bytes }) => `${name} (${bytes} bytes)`,
        ),
      ),
  });
}

export function findFilesTool(): Tool {
  return tool({
    ...SHARED,
    name: "find_files",
    description:
      "Find files in the workspace by a pattern of their paths, such as *.md, src/**/*.{ts,tsx} or report-?.csv.",
    input: z.object({ pattern: z.string().min(1).max(512), path: FOLDER }),
    run: ({ pattern, path }) =>
      inWorkspace(async (workspace) => {
        const matches = globMatcher(pattern);
        if (matches === undefined)
          throw new EngineError("invalid_input", `${preview(pattern)} is no pattern of paths`);
        const folder = folderIn(path);
        const files = await workspace.list(folder);
        return listed(
          files.filter((file) => matches(file.path.slice(folder.length))),
          (file) => file.path,
        );
      }),
  });
}

function listed(files: readonly WorkspaceFile[], line: (file: WorkspaceFile) => string): string {
  if (files.length === 0) return "No files.";
  const shown = files.slice(0, MAX_FOUND).map(line);
  const more = files.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more)`] : [])].join("\n");
}
