// Sessions: containers that several pieces of code of a run share. The run records their handles to find them again.
//
//   CSE1. A session's working directory is in the run's workspace: a new container is filled from there if the old one
//         is lost.
//   CSE2. A run that ends gives up its own containers, and no others.
import type { JsonObject } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import { cleanUp } from "../events/clean-up.ts";
import type { RunScope } from "../events/run-scope.ts";
import { mediaTypeOf } from "../files/detection/media-type.ts";
import { workspaceOf, type WorkspaceFile } from "../files/workspace.ts";
import type { CodeFile, CodeRunner, CodeSession } from "./code-runner.ts";

/** Name of the readings with the containers of a run. */
const OPENED = "code-session";

type Opened = { readonly id: string; readonly handle: string };

const known = new WeakMap<object, Opened[]>();

/** Returns the containers of all sessions, oldest first. The last one of a session counts. */
function openedBy(scope: RunScope): Opened[] {
  let opened = known.get(scope.drive);
  if (opened === undefined)
    known.set(scope.drive, (opened = [...(scope.readings(OPENED) as unknown as Opened[])]));
  return opened;
}

/** Returns a session of a run by its name. Each runner has its own session of that name. */
export function sessionOf(scope: RunScope, name: string, runner: CodeRunner): CodeSession {
  const id = idOf(scope, name, runner.name);
  const opened = openedBy(scope);
  return {
    id,
    get handle() {
      return opened.findLast((each) => each.id === id)?.handle;
    },
    keep: (handle) => {
      const entry: Opened & JsonObject = { id, handle };
      opened.push(entry);
      scope.atNext(OPENED).reading(() => entry);
      const cleanUpId = `code-session:${id}`;
      if (handle === "") scope.removeCleanUp(cleanUpId);
      else scope.addCleanUp(endSession, { runner: runner.name, handle }, cleanUpId);
    },
    files: () => filesOf(scope, name),
  };
}

/** Name of the readings with the files of sessions. */
const LEFT = "code-files";

type Left = {
  readonly session: string;
  readonly folder: string;
  readonly paths: readonly string[];
};

/** Returns all files written by a session's code so far. */
async function filesOf(scope: RunScope, session: string): Promise<Record<string, Uint8Array>> {
  if (!hasWorkspace(scope)) return {};
  const workspace = workspaceOf(scope);
  const left = (scope.readings(LEFT) as unknown as readonly Left[]).filter(
    (each) => each.session === session,
  );
  const paths = new Map(
    left.flatMap(({ folder, paths: own }) => own.map((path) => [path, folder + path] as const)),
  );
  const read = await Promise.all(
    Array.from(paths, async ([path, place]) => [path, await workspace.read(place)] as const),
  );
  return Object.fromEntries(
    read.flatMap(([path, file]) => (file === undefined ? [] : [[path, file.content]])),
  );
}

function hasWorkspace({ services }: RunScope): boolean {
  return services.files !== undefined || services.workspaces !== undefined;
}

/**
 * Keeps files of code in the run's workspace, below `folder`, and records them for its session. Keeps no files without
 * a file store.
 */
export async function keepFiles(
  scope: RunScope,
  files: readonly CodeFile[],
  { session, folder = "" }: { readonly session?: string | undefined; readonly folder?: string },
): Promise<readonly WorkspaceFile[]> {
  if (files.length === 0 || !hasWorkspace(scope)) return [];
  const kept = await workspaceOf(scope).change(
    files.map(({ path, bytes }) => ({
      path: folder + path,
      content: bytes,
      mediaType: mediaTypeOf(bytes, { name: path }),
    })),
  );
  if (session !== undefined) {
    const left: Left & JsonObject = { session, folder, paths: files.map(({ path }) => path) };
    scope.atNext(LEFT).reading(() => left);
  }
  return kept;
}

function idOf({ runId, services }: RunScope, name: string, runner: string): string {
  return sha256Hex(JSON.stringify([services.tenant ?? "", runId, name, runner])).slice(0, 32);
}

/**
 * Gives up a container after its run has ended. If its runner is no longer configured, the container ends by itself
 * after a while.
 */
const endSession = cleanUp<{ readonly runner: string; readonly handle: string }>(
  "code_session",
  async ({ runner: name, handle }, { services, signal }) => {
    const runner = services.code?.runners.find((each) => each.name === name);
    await runner?.close?.(handle, signal);
  },
);
