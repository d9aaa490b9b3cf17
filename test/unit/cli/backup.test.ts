// What is wrong use of backup, restore and reindex; what they do is in test/integration/backup.test.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

describe("backup, restore and reindex", () => {
  it.each([
    ["backup --runs weekly", /--runs: expected all, none or since=7d, got "weekly"/],
    ["backup --runs since=soon", /expected a span such as 12h/],
    ["restore nowhere", /has no backup: there is no manifest.json/],
    ["restore later", /has the format edgecrew.backup\/2; this version reads edgecrew.backup\/1/],
    ["restore broken", /broken or cut off/],
    ["restore empty --only memroies", /the backup has no memroies; there are: runs/],
    ["restore empty --tenant acme", /expected a=b, got "acme"/],
    ["restore empty --tenant acme=other", /the backup is of the tenant default, not of acme/],
    ["restore many", /runs.ndjson does not fit the manifest: expected 3 rows, got 0/],
    ["reindex --ids none.txt", /there is no file/],
    ["reindex --ids bad.txt", /bad.txt:2: expected the id of a run, got "no id"/],
  ])("%j is wrong use", async (line, message) => {
    const world = new Terminal();
    const write = (name: string, text: string): void => {
      mkdirSync(`${world.folder}/${name}`);
      writeFileSync(`${world.folder}/${name}/manifest.json`, text);
    };
    const sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const manifest = { format: "edgecrew.backup/1", tenant: "default", schema: {}, tables: {} };
    write("later", '{"format":"edgecrew.backup/2"}');
    write("broken", "{");
    write("empty", JSON.stringify({ ...manifest, runs: { rows: 0, sha256 } }));
    write("many", JSON.stringify({ ...manifest, runs: { rows: 3, sha256 } }));
    writeFileSync(`${world.folder}/bad.txt`, "run-1\nno id\n");
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it("explains the missing part of a Worker", async () => {
    const { code, err } = await new Terminal().run("backup --out saved");
    expect([code, err]).toEqual([2, expect.stringContaining("backup()")]);
  });

  it("reindex lists runs again, and counts the missing ones", async () => {
    const world = new Terminal({ script: () => "done" });
    await world.run("run greeting --id run-of-greeting");
    writeFileSync(`${world.folder}/ids.txt`, 'run-of-greeting\n{"id":"gone-for-good"}\n');
    const { code, out } = await world.run("reindex --ids ids.txt --json");
    expect([code, JSON.parse(out)]).toEqual([0, { reindexed: 1, missing: 1 }]);
    expect((await world.run("reindex --json")).out).toContain('"reindexed": 1');
  });
});
