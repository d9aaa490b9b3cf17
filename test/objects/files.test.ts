import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { randomId, systemClock } from "../../src/base/system.ts";
import { D1BlobIndex } from "../../src/cloudflare/stores/d1-blob-index.ts";
import { D1WorkspaceIndex } from "../../src/cloudflare/stores/d1-workspace-index.ts";
import { Blobs } from "../../src/files/blobs.ts";
import { IndexedWorkspaces } from "../../src/files/indexed-workspaces.ts";
import { workspaceOf } from "../../src/files/workspace.ts";
import { describeWorkspace } from "../support/workspace.suite.ts";
import { D1FileStore } from "../../src/cloudflare/stores/d1-file-store.ts";
import { R2FileStore } from "../../src/cloudflare/stores/r2-file-store.ts";
import { describeFileStore } from "../support/file-store.suite.ts";
import { runWithEvictions, runWithKills } from "./support/faults.ts";
import { callsOf } from "./support/ledger.ts";
import { reaches, start, TENANT } from "./support/runs.ts";

const d1 = (tenant: string): D1FileStore => new D1FileStore(env.DB, tenant, systemClock);
const { FILES: BUCKET } = env as unknown as { FILES: R2Bucket };

describeFileStore({
  name: "in D1",
  open: async (...tenants) => {
    await env.DB.prepare("DELETE FROM files").run();
    return tenants.map(d1);
  },
  manyBytes: 1_900_000,
});

describeFileStore({
  name: "in R2",
  open: async (...tenants) => {
    const { objects } = await BUCKET.list();
    await BUCKET.delete(objects.map(({ key }) => key));
    return tenants.map((tenant) => new R2FileStore(BUCKET, tenant));
  },
  manyBytes: 16 * 1024 * 1024,
});

it("in R2 a file is put together from successive parts", async () => {
  const store = new R2FileStore(BUCKET, "acme");
  const path = "blobs/parts";
  const upload = { path, uploadId: await store.parts.begin(path, "video/mp4") };
  const tags = [
    await store.parts.add(upload, 1, new Uint8Array(store.parts.partBytes)),
    await store.parts.add(upload, 2, new Uint8Array(3)),
  ];
  expect(await store.stat(path)).toBeUndefined();
  await store.parts.complete(upload, tags);
  const bytes = store.parts.partBytes + 3;
  expect(await store.stat(path)).toEqual({ path, mediaType: "video/mp4", bytes });
  await store.parts.abort(upload); // is over: no error
});

describeWorkspace({
  name: "in D1 and R2",
  open: async () => {
    await env.DB.batch(
      ["workspace_files", "file_blobs", "file_removals"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table}`),
      ),
    );
    const shared = { clock: systemClock, randomId };
    const store = new R2FileStore(BUCKET, "acme");
    const blobs = new Blobs({ ...shared, store, index: new D1BlobIndex(env.DB, "acme") });
    const index = new D1WorkspaceIndex(env.DB, "acme");
    const workspaces = new IndexedWorkspaces({ ...shared, blobs, index });
    return (runId) => workspaceOf({ runId, services: { workspaces } });
  },
});

describe("DE3: a crew of a manager", () => {
  it("ends with the same output and file when each of its calls is killed once, and lets every call through once", async () => {
    const calm = await reaches(await start("delegating", { inputs: { id: "calm" } }), "completed");
    const { run, killed } = await runWithKills("delegating", { inputs: { id: "killed" } });
    expect(run.output).toEqual(calm.output);
    expect(killed.length).toBeGreaterThan(8);
    const passed = callsOf(run.id).filter((call) => call.passed);
    expect(new Set(passed.map(({ key }) => key)).size).toBe(passed.length);
    const [file, other] = await Promise.all(
      ["killed", "calm"].map((id) => new R2FileStore(BUCKET, TENANT).get(`reports/${id}.md`)),
    );
    expect(new TextDecoder().decode(file?.content)).toBe((run.output as { raw: string }).raw);
    expect(file).toEqual(other);
  });

  it("ends the same when it is evicted after every call", async () => {
    const calm = await reaches(await start("delegating", { inputs: { id: "a" } }), "completed");
    const { run, evictions } = await runWithEvictions("delegating", { id: "b" });
    expect(run.output).toEqual(calm.output);
    expect(evictions).toBeGreaterThan(5);
  });
});
