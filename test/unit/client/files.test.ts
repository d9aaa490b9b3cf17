import { expect, it } from "vitest";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { pieces } from "../../support/file-store.suite.ts";
import { FilesWorld } from "../../support/files-world.ts";

function clientOf(world: FilesWorld): EdgecrewClient {
  return new EdgecrewClient({
    baseUrl: "http://test.local",
    clock: world.clock,
    fetch: async (url, init) => world.app.request(url, init),
  });
}

it("works with files", async () => {
  const world = new FilesWorld();
  const { files, crews } = clientOf(world);
  const stored = await files.upload("a,b", { name: "a.csv", mediaType: "text/csv", expires: 3600 });
  expect(stored).toMatchObject({ name: "a.csv", mediaType: "text/csv", bytes: 3 });
  expect(await files.get(stored.id)).toEqual(stored);
  expect(await (await files.content(stored.id)).text()).toBe("a,b");
  expect(await (await files.content(stored.id, { range: { first: 2 } })).text()).toBe("b");
  expect(await (await files.content(stored.id, { range: { first: 0, last: 1 } })).text()).toBe(
    "a,",
  );
  const { url } = await files.url(stored.id, 60);
  expect((await world.get(url.slice(url.indexOf("/files")))).text).toBe("a,b");
  const blob = await files.upload(new Blob(["blob"]), { key: "k" });
  expect(await files.upload(new Blob(["blob"]), { key: "k" })).toEqual(blob);
  expect((await files.upload(pieces(new Uint8Array(100_000)))).bytes).toBe(100_000);
  expect((await files.upload(new Uint8Array([1]))).bytes).toBe(1);
  expect((await files.list({ limit: 2 })).items).toHaveLength(2);
  expect((await files.list({ kind: "text" })).items.map(({ name }) => name)).toContain("a.csv");

  const run = await crews.kickoff("greeting", { id: "r", inputFiles: { table: stored.id } });
  expect((await files.list({ run: run.id })).items).toEqual([stored]);
  await world.clock.settle();
  expect(await files.ofRun("r")).toEqual([]);
  await expect(files.contentOfRun("r", "no/ü.txt")).rejects.toMatchObject({ code: "not_found" });
  await world.clock.advance(2_000);
  await files.delete(stored.id);
  await expect(files.get(stored.id)).rejects.toMatchObject({ code: "not_found" });
  await files.delete(blob.id, { force: true });
});
