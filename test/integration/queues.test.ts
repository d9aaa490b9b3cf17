// The deployed configuration on `wrangler dev`: a batch over HTTP, dispatched by the real queue to real objects. And the same
// without a queue.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdgecrewClient, type BatchOutput } from "../../src/client/index.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const cwd = fileURLToPath(new URL("../..", import.meta.url));

describe.each([
  ["with its queue", "wrangler.toml"],
  ["without a queue", "test/integration/no-queue.toml"],
])("a Worker %s", (_name, config) => {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-queues-`);
  const project = { cwd, config, persistTo };
  let dev: WranglerDev | undefined;
  let client: EdgecrewClient;

  beforeAll(async () => {
    migrate(project);
    dev = await WranglerDev.start(project);
    client = new EdgecrewClient({ baseUrl: dev.url });
  });

  afterAll(async () => {
    await dev?.kill();
    rmSync(persistTo, { recursive: true, force: true });
  });

  it("starts a run of a stored crew for each input, and gathers the outputs", async () => {
    await client.crews.put("haiku", {
      agents: { poet: { role: "Poet", goal: "Write about {topic}", backstory: "Quiet." } },
      tasks: [{ description: "Write of {topic}", expectedOutput: "A line", agent: "poet" }],
    });
    const inputs = Array.from({ length: 150 }, (_, index) => ({ topic: `leaf ${index}` }));
    const batch = await client.crews.kickoffForEach("haiku", inputs, { id: "batch-1" });
    const { items, usage } = (await batch.output()) as unknown as BatchOutput;
    expect(items.map(({ index, status }) => [index, status])).toEqual(
      inputs.map((_, index) => [index, "completed"]),
    );
    expect(usage.requests).toBe(150);
    const { items: children } = await client.runs.list({ parent: "batch-1", limit: 200 });
    expect(children.map(({ id }) => id).toSorted()).toEqual(
      items.map(({ runId = "" }) => runId).toSorted(),
    );
    const whole = await client.runs.get(items[149]?.runId ?? "");
    expect(whole).toMatchObject({
      inputs: { topic: "leaf 149" },
      parent: { id: "batch-1", key: "item:149" },
    });
    // A second start under the same id is the same batch.
    await client.crews.kickoffForEach("haiku", inputs, { id: "batch-1" });
    const again = await client.runs.list({ kind: "batch" });
    expect(again.items).toHaveLength(1);
  });

  it("reports wrong inputs before any start", async () => {
    const refused = client.crews.kickoffForEach("haiku", [{ topic: "a" }, { other: "b" }]);
    await expect(refused).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/inputs/1/topic" }],
    });
  });
});
