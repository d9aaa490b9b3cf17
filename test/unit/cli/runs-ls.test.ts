import { expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

it.each([
  ["", ["flow-3", "crew-2", "flow-1"]],
  ["--kind flow", ["flow-3", "flow-1"]],
  ["--name greeting", ["crew-2"]],
  ["--status completed", ["crew-2"]],
  ["--status waiting --kind flow", ["flow-3", "flow-1"]],
  ["--status failed", []],
  ["--parent flow-1", []],
  ["--held", []],
  ["--limit 1", ["flow-3"]],
])("runs ls %s has the same runs as the API (CL16)", async (filter, expected) => {
  const world = new Terminal();
  for (const line of [
    "review --input topic=tea --id flow-1",
    "greeting --id crew-2",
    "review --input topic=tea --id flow-3",
  ]) {
    await world.run(`run ${line} --detach`);
    await world.http.clock.advance(1_000);
  }
  const { code, out } = await world.run(`runs ls ${filter} --json`);
  expect(code).toBe(0);
  const { items } = JSON.parse(out) as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual(expected);
  const table = await world.run(`runs ls ${filter}`);
  expect(table.out.split("\n").flatMap((row) => row.split("\t")[0] || [])).toEqual(expected);
  expect(table.err.includes("There are no such runs.")).toBe(expected.length === 0);
});

it("runs ls --open --definition lists the open runs of a version (DP17)", async () => {
  const world = new Terminal();
  await world.run("run review --input topic=tea --id flow-1 --detach");
  await world.run("run greeting --id crew-2 --detach");
  const old = {
    tenant: "default",
    kind: "flow",
    name: "review",
    inputs: { topic: "tea" },
  } as const;
  await world.http.runs.start({ ...old, id: "flow-3", definitionVersion: "1" });
  await world.http.clock.advance(1_000);
  const ids = async (flags: string): Promise<string[]> => {
    const { out } = await world.run(`runs ls ${flags} --json`);
    return (JSON.parse(out) as { items: { id: string }[] }).items.map(({ id }) => id);
  };
  expect((await ids("--open")).toSorted()).toEqual(["flow-1", "flow-3"]);
  expect(await ids("--open --limit 1")).toHaveLength(1);
  expect(await ids("--open --kind crew")).toEqual([]);
  expect(await ids("--definition review@1 --open")).toEqual(["flow-3"]);
  expect((await world.run("runs ls --definition review@1")).out).toContain("flow review@1");
  await world.http.runs.cancel("default", "flow-3");
  await world.http.clock.advance(5_000);
  expect(await ids("--definition review@1 --open")).toEqual([]);
  expect(await ids("--definition review@1")).toEqual(["flow-3"]);
  for (const wrong of [
    "--open --status failed",
    "--open --watch",
    "--definition review",
    "--definition @1",
    "--definition a@1 --name b",
  ])
    expect((await world.run(`runs ls ${wrong}`)).code).toBe(2);
});
