// `/runs/{id}/files`: the files in a run's workspace.
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { EngineError } from "../../base/error.ts";
import { runWorkspace, workspaceOf, type Workspace } from "../workspace.ts";
import type { FileRange } from "../file-store.ts";
import { FILE_ANSWERS, fileResponse, isPage, noFile } from "./file-response.ts";
import { runFileShape } from "./schemas.ts";

export function runFileOperations({ runs, placeOf }: PartHost): readonly Operation[] {
  const shared = { group: "Runs", sample: { run: { id: "example-run" } } } as const;

  /** Throws `not_found` if the run does not exist. */
  async function workspaceFor(tenant: string, runId: string): Promise<Workspace> {
    await runs.get(tenant, runId);
    const { services } = placeOf(tenant);
    const workspace = (await services.workspaces?.nameOf(runId)) ?? runWorkspace(runId);
    return workspaceOf({ runId, services: { ...services, workspace } });
  }

  return [
    operation({
      ...shared,
      id: "listRunFiles",
      method: "get",
      path: "/runs/{id}/files",
      scope: "read",
      summary: "List the files of a run",
      description: "Files written by the run's tools, code and tasks, by path.",
      answers: { 200: { description: "The files", list: runFileShape } },
      problems: [404],
      handle: async ({ tenant, params }) => {
        const workspace = await workspaceFor(tenant, runIdIn(params));
        return { status: 200, json: { items: await workspace.list() } };
      },
    }),
    operation({
      ...shared,
      id: "getRunFile",
      sample: { needs: "a run that has written files: `GET /runs/{id}/files` lists them" },
      method: "get",
      path: "/runs/{id}/files/{+path}",
      scope: "read",
      summary: "Download a file of a run",
      description: "Same as `GET /files/{id}/content`.",
      headers: ["Range"],
      answers: FILE_ANSWERS,
      problems: [400, 404, 416],
      handle: async ({ tenant, params, raw, via }) => {
        const workspace = await workspaceFor(tenant, runIdIn(params));
        const { path = "" } = params;
        const file = await workspace.stat(path);
        if (file === undefined) throw noFile(path);
        const served = {
          ...file,
          name: file.path.split("/").at(-1) ?? "file",
          open: (range?: FileRange) => openSame(workspace, file, range),
        };
        return fileResponse(raw, served, { toPage: isPage(via) });
      },
    }),
  ];
}

/** Opens a file. Throws `unavailable` if its content has changed since it was looked up. */
async function openSame(
  workspace: Workspace,
  { path, sha256 }: { readonly path: string; readonly sha256: string },
  range?: FileRange,
): Promise<ReadableStream<Uint8Array>> {
  const opened = await workspace.open(path, range);
  if (opened?.sha256 === sha256) return opened.stream;
  await opened?.stream.cancel();
  throw new EngineError("unavailable", `the file ${path} is being replaced`, {
    retryable: true,
    retryAfterMs: 1000,
  });
}
