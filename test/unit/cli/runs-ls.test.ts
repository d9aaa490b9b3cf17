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
])("runs ls %s has what the API has (CL16)", async (filter, expected) => {
  const world = new Terminal();
  for (const line of [
    "review --input topic=tea --id flow-1",
    "greeting --id crew-2",
    "review --input topic=tea --id flow-3",
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await world.run(`run ${line} --detach`);
    // oxlint-disable-next-line no-await-in-loop -- as above
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
