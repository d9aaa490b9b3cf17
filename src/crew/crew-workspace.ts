// Workspace for the files of a crew's tools, code and tasks.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { runWorkspace, sharedWorkspace, workspaceOf } from "../files/workspace.ts";
import type { CrewOptions } from "./crew-options.ts";
import type { RunnableCrew } from "./runnable-crew.ts";

/** Throws `invalid_definition` for an invalid workspace. */
export function checkWorkspace(workspace: CrewOptions["workspace"], owner: string): void {
  if (workspace === undefined || workspace === "run") return;
  if (isJsonObject(workspace) && Object.keys(workspace).join() === "name") {
    sharedWorkspace(workspace["name"]);
    return;
  }
  throw new EngineError(
    "invalid_definition",
    `${owner}: workspace must be "run" or { name }, got ${preview(workspace)}`,
  );
}

/** Returns the place of a crew's work in its workspace. A run of the crew itself records its workspace. */
export async function workspacePlace(
  scope: RunScope,
  { options: { workspace }, foundAs }: Pick<RunnableCrew, "options" | "foundAs">,
): Promise<RunScope> {
  if (workspace === undefined) return scope;
  if (workspace === "run") return scope.offering({ workspace: runWorkspace(scope.runId) });
  const name = sharedWorkspace(workspace.name);
  const { workspaces } = scope.services;
  if (workspaces !== undefined && foundAs !== undefined)
    await scope.at("workspace").step<null>({
      kind: "effect",
      run: async () => {
        await workspaces.assign(scope.runId, name);
        return null;
      },
    });
  return scope.offering({ workspace: name });
}

/** The name of the workspace of a place in a run. */
export function workspaceAt({ services, runId }: RunScope): string {
  return services.workspace ?? runWorkspace(runId);
}

/**
 * Copies a text file into the workspace, where the run's files can be fetched. A path outside the workspace is skipped.
 */
export async function copyToWorkspace(
  place: RunScope,
  file: { readonly path: string; readonly text: string; readonly mediaType: string },
): Promise<void> {
  if (place.services.workspaces === undefined) return;
  try {
    await workspaceOf(place).write(file.path, file.text, file.mediaType);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
  }
}
