import { EngineError, type ErrorCode } from "../../base/error.ts";
import { sha256Hex } from "../../base/sha256.ts";
import {
  folderPrefix,
  workspaceOf,
  workspacePath,
  type Workspace,
  type WorkspaceFile,
} from "../../files/workspace.ts";
import type { ToolContext } from "../tool-context.ts";
import { toolFailure, type ToolFailure } from "../tool-failure.ts";

/** Failure codes for the model, by error code. The model can continue differently, and so does the run. */
const FAILURES: Partial<Readonly<Record<ErrorCode, string>>> = {
  forbidden: "refused",
  invalid_input: "bad_request",
  not_found: "not_found",
  conflict: "conflict",
  limit_exceeded: "limit_exceeded",
  value_too_large: "too_large",
};

/** Works with the files of the call's run. */
export async function inWorkspace<Result>(
  work: (workspace: Workspace) => Promise<Result>,
): Promise<Result | ToolFailure> {
  try {
    return await work(workspaceOf());
  } catch (error) {
    const code = EngineError.is(error) ? FAILURES[error.code] : undefined;
    if (!EngineError.is(error) || code === undefined) throw error;
    return toolFailure({ message: error.message, code });
  }
}

/** Checks a path from a model. Fails with `forbidden` for a path leading out of the workspace. */
export function pathIn(path: string): string {
  return refusing(() => workspacePath(path));
}

/** Checks the path of a folder, like `pathIn`. `.` is the workspace itself. */
export function folderIn(folder: string): string {
  return refusing(() => folderPrefix(folder));
}

function refusing(check: () => string): string {
  try {
    return check();
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
    throw new EngineError("forbidden", error.message, { cause: error });
  }
}

/** Change computed from the current files. */
export type MadeChange = {
  readonly path: string;
  /** Digest of the current file; null for no file. */
  readonly before: string | null;
  readonly content: string | null;
  readonly mediaType: string;
};

export type MadeChanges = {
  readonly changes: readonly MadeChange[];
  /** Additional message. */
  readonly note?: string;
};

/** Changes as recorded before they are made. */
type Plan = {
  readonly changes: ReadonlyArray<{
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  }>;
  readonly note: string;
};

/**
 * Changes files exactly once, even if the call is interrupted. The changes are recorded before they are made, and a
 * repeated call detects by the digests which are done. `make` computes them from the current files. Fails with
 * `conflict` if one of the files was changed by others in the meantime.
 */
export async function changeOnce(
  workspace: Workspace,
  context: ToolContext,
  make: () => Promise<MadeChanges>,
): Promise<{ readonly files: readonly WorkspaceFile[]; readonly note: string }> {
  let made: MadeChanges | undefined;
  const planned = await context.step<Plan>("plan", async () => {
    made = await make();
    return {
      changes: made.changes.map(({ path, before, content }) => ({
        path,
        before,
        after: content === null ? null : sha256Hex(content),
      })),
      note: made.note ?? "",
    };
  });
  const { changes: plan, note } = planned;
  const there = await Promise.all(plan.map(({ path }) => workspace.stat(path)));
  const isDone = plan.every(({ after }, index) => (there[index]?.sha256 ?? null) === after);
  if (isDone) return { files: there.flatMap((file) => file ?? []), note };
  const { changes } = made ?? (await make());
  const files = await workspace.change(
    changes.map((change, index) => ({ ...change, before: plan[index]?.before ?? null })),
  );
  return { files, note };
}
