// Files of runs in a Worker: their place, and their lifecycle when runs are forked and deleted.
import type { Clock } from "../base/clock.ts";
import { randomId, systemClock } from "../base/system.ts";
import type { Part, PartEnv, PartHost, PartPlace } from "../parts/part.ts";
import type { BlobIndex } from "./blob-index.ts";
import { Blobs } from "./blobs.ts";
import type { RunFilesIndex } from "./file-index.ts";
import type { FileStore } from "./file-store.ts";
import type { FileSweepIndex } from "./file-sweep.ts";
import { IndexedWorkspaces } from "./indexed-workspaces.ts";
import type { WorkspaceIndex } from "./workspace-index.ts";

/** Store of a tenant's files, and the indexes over them. */
export type FileStores = {
  readonly store: (place: PartPlace) => FileStore;
  readonly blobs: (place: PartPlace) => BlobIndex;
  readonly workspaces: (place: PartPlace) => WorkspaceIndex;
  readonly runs: (place: PartPlace) => RunFilesIndex;
  readonly sweep: (env: PartEnv) => FileSweepIndex;
};

const SWEPT_AT_ONCE = 100;

/** Returns the services for workspaces, and callbacks for forked and deleted runs. */
export function runFiles(stores: FileStores): Required<Pick<Part, "services" | "runs">> & {
  readonly due: (host: PartHost) => Promise<void>;
} {
  return {
    services: {
      files: stores.store,
      workspaces: (place) =>
        new IndexedWorkspaces({
          blobs: blobsIn(stores, place),
          index: stores.workspaces(place),
          clock: clockOf(place),
          randomId,
        }),
    },
    runs: {
      forked: (place, run) => stores.runs(place).forked(run),
      forgotten: (place, runId) => stores.runs(place).forgotten(runId),
    },
    due: (host) => sweepFiles(host, stores, (place) => blobsIn(stores, place).removeDue()),
  };
}

/** The bytes of a tenant's files. */
export function blobsIn(stores: FileStores, place: PartPlace): Blobs {
  const clock = clockOf(place);
  return new Blobs({ store: stores.store(place), index: stores.blobs(place), clock, randomId });
}

export function clockOf({ clock = systemClock }: PartPlace): Clock {
  return clock;
}

/** Removes expired files, and then the removable bytes of each tenant in the file store. */
export async function sweepFiles(
  { env, clock, placeOf }: PartHost,
  stores: FileStores,
  removeDue: (place: PartPlace) => Promise<unknown>,
): Promise<void> {
  const index = stores.sweep(env);
  await index.expire(clock.now(), SWEPT_AT_ONCE);
  const tenants = await index.tenants(clock.now(), SWEPT_AT_ONCE);
  // A failing store of one tenant does not stop the removal for others.
  const done = await Promise.allSettled(tenants.map((tenant) => removeDue(placeOf(tenant))));
  for (const each of done) if (each.status === "rejected") throw each.reason;
}
