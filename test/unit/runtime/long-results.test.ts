import { describe, expect, it } from "vitest";
import { checkpointDiff } from "../../../src/http/operations/checkpoint-diff.ts";
import type { CheckpointPageOptions } from "../../../src/runtime/checkpoints.ts";
import type { RunDirectory } from "../../../src/runtime/run-directory.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

describe.each(RUN_STORES)("long results, $name", ({ open }) => {
  const MI = 1024 * 1024;
  const withResults = async (lengths: readonly number[]): Promise<RunWorld> => {
    const world = new RunWorld(
      async (scope) => {
        for (const [index, length] of lengths.entries())
          await scope.at(`s:${index}`).callOnce(() => "x".repeat(length), { mark: "checkpoint" });
        return null;
      },
      { fixture: open(), limits: { maxValueLength: 16 * MI } },
    );
    await world.begin();
    return world;
  };

  it("VP1: make pages of steps and of checkpoints shorter, without loss", async () => {
    const { reader } = (await withResults([MI, 3 * MI, 2 * MI, 6 * MI, 5, MI, MI])).host;
    const steps: string[][] = [];
    const tasks: string[][] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = reader.steps({ limit: 200, values: true, cursor });
      steps.push(page.items.map(({ key, value }) => `${key} ${lengthOf(value)}`));
      ({ nextCursor: cursor } = page);
      more = cursor !== undefined;
    }
    for (let cursor: string | undefined, more = true; more;) {
      const page = reader.checkpointPage({ values: true, cursor });
      tasks.push(page.items.map(({ key, output }) => `${key} ${lengthOf(output)}`));
      ({ nextCursor: cursor } = page);
      more = cursor !== undefined;
    }
    expect(steps).toEqual([
      [`s:0 ${MI}`],
      [`s:1 ${3 * MI}`],
      [`s:2 ${2 * MI}`],
      [`s:3 ${6 * MI}`],
      ["s:4 5", `s:5 ${MI}`, `s:6 ${MI}`],
    ]);
    expect(tasks).toEqual(steps);
    expect(reader.steps({ limit: 200, values: false }).items).toHaveLength(7);
    expect(reader.checkpointPage({ values: false }).items).toHaveLength(7);
  });

  it("VP2: are left out with their length when too long for any page", async () => {
    const { reader } = (await withResults([3, 9 * MI, 4])).host;
    const { items, nextCursor } = reader.steps({ limit: 200, values: true });
    expect(nextCursor).toBeUndefined();
    expect(items.map(({ value, omitted }) => value ?? omitted)).toEqual([
      "xxx",
      9 * MI + 2,
      "xxxx",
    ]);
    const page = reader.checkpointPage({ values: true });
    expect(page.items.map(({ output, omitted }) => output ?? omitted)).toEqual([
      "xxx",
      9 * MI + 2,
      "xxxx",
    ]);
  });

  it("VP1: can be compared, with as many of them as an answer holds", async () => {
    const [a, b] = [
      (await withResults([3, 2 * MI, 3 * MI])).host.reader,
      (await withResults([3, 2 * MI + 1, 3 * MI + 1])).host.reader,
    ];
    const lists = [a, b].map((reader) => reader.checkpoints({ values: false, hashes: true }));
    const directory = {
      checkpoints: async (_: string, run: string) => lists[Number(run)],
      checkpointPage: async (_: string, run: string, options: CheckpointPageOptions) =>
        [a, b][Number(run)]?.checkpointPage(options),
    } as unknown as RunDirectory;
    const idOf = (list: number): string => lists[list]?.at(-1)?.id ?? "";
    const diff = await checkpointDiff(directory, "acme", [
      { run: "0", id: idOf(0) },
      { run: "1", id: idOf(1) },
    ]);
    expect(
      diff.tasks.map(({ key, change, from, to, omitted }) => [
        key,
        change,
        lengthOf(from),
        lengthOf(to),
        omitted,
      ]),
    ).toEqual([
      ["s:1", "changed", 2 * MI, 2 * MI + 1, undefined],
      ["s:2", "changed", 0, 0, true],
    ]);
    const same = await checkpointDiff(directory, "acme", [
      { run: "0", id: idOf(0) },
      { run: "0", id: idOf(0) },
    ]);
    expect(same.tasks).toEqual([]);
  });
});
