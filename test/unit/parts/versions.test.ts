import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { crewPart } from "../../../src/crew/crew-part.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { allReaders } from "../../support/all-readers.ts";
import { currentVersionsOf, programsOf } from "../../../src/parts/programs.ts";
import {
  mapVersions,
  VersionedDefinitions,
  versions,
  type Versioned,
} from "../../../src/parts/versions.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld, START } from "../../support/run-world.ts";

const agent = new Agent({ role: "Writer", goal: "Write", backstory: "-", llm: "offline/demo" });
const crewOf = (...tasks: readonly string[]): Crew =>
  new Crew({
    name: "briefing",
    tasks: tasks.map((name) => new Task({ name, description: "-", expectedOutput: "-", agent })),
  });
const first = crewOf("first");
const second = crewOf("second", "more");

describe("versions of a definition", () => {
  const listed = new VersionedDefinitions<Crew>({
    briefing: versions({ current: "2", "1": first, "2": second }),
    other: first,
  });

  it("DV1: shows the current one under its name, beside definitions without versions", () => {
    expect(listed.current).toEqual({ briefing: second, other: first });
    expect(listed.currentVersion("briefing")).toBe("2");
    expect(listed.currentVersion("other")).toBeUndefined();
    expect(listed.currentVersion("nobody")).toBeUndefined();
  });

  it.each([
    ["briefing", "1", first],
    ["briefing", "2", second],
    ["other", undefined, first],
    ["other", "1", first],
    ["nobody", undefined, undefined],
  ])("finds %s in version %s", (name, definitionVersion, crew) => {
    const start = definitionVersion === undefined ? { name } : { name, definitionVersion };
    expect(listed.find(start)).toBe(crew);
  });

  it("DV2: takes the first version for a run without one", () => {
    expect(listed.find({ name: "briefing" })).toBe(first);
  });

  it("DV3: names the known versions for an unknown one", () => {
    expect(() => listed.find({ name: "briefing", definitionVersion: "0" })).toThrow(
      '"briefing" has no version "0" any more; this deployment has "1", "2"',
    );
  });

  it("refuses an unlisted current version", () => {
    expect(() => versions({ current: "3", "1": first })).toThrow(
      'current must be one of the versions listed ("1"), got "3"',
    );
  });

  it("sees later additions to an object without versions", () => {
    const crews: Record<string, Crew> = {};
    const open = new VersionedDefinitions<Crew>(crews);
    crews["late"] = first;
    expect(open.find({ name: "late" })).toBe(first);
  });

  it("brings every version into another form", () => {
    const mapped = new VersionedDefinitions<{ length: number }>(
      mapVersions({ a: versions({ current: "2", "1": [1], "2": [1, 2] }) }, (list) => ({
        length: list.length,
      })),
    );
    expect(mapped.find({ name: "a", definitionVersion: "1" })).toEqual({ length: 1 });
    expect(mapped.current["a"]).toEqual({ length: 2 });
  });
});

describe.each(RUN_STORES)("runs of versions, $name", ({ open }) => {
  const partOf = (crews: Versioned<Crew>) => crewPart({ crews, registry: {}, readers: allReaders });

  it("DV1: keep the version of their start; forks take the current one", async () => {
    const parts = [partOf({ briefing: versions({ current: "2", "1": first, "2": second }) })];
    const find = programsOf(parts);
    const tasksOf = (start: typeof START): readonly string[] =>
      find(start).tasks.map(({ name }) => name);
    const world = new RunWorld(async () => null, {
      fixture: open(),
      findProgram: (start) => ({
        ...find(start),
        run: (scope) => scope.at("a").wait({ kind: "human" }),
      }),
      currentVersion: currentVersionsOf(parts),
    });
    expect(await world.begin()).toMatchObject({ definitionVersion: "2" });
    expect(world.indexed.at(-1)).toMatchObject({ definitionVersion: "2" });
    const { start } = world.host.forks.recordBefore({ fromStep: "a" });
    expect(start).not.toHaveProperty("definitionVersion");
    expect(tasksOf({ ...START, definitionVersion: "1" })).toEqual(["first"]);
    expect(tasksOf({ ...START, definitionVersion: "2" })).toEqual(["second", "more"]);
  });

  it("a run of a stored definition has no version", async () => {
    const parts = [partOf({ briefing: versions({ current: "1", "1": first }) })];
    expect(currentVersionsOf(parts)({ ...START, definition: {} })).toBeUndefined();
    expect(currentVersionsOf(parts)(START)).toBe("1");
    expect(currentVersionsOf(parts)({ ...START, kind: "unknown" })).toBeUndefined();
  });
});
