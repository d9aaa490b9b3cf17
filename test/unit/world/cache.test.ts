import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { folderOf, isMade, makeNeed } from "../../world/needs/cache.ts";
import type { Need } from "../../world/needs/need.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "edgecrew-world-"));
  vi.stubEnv("EDGECREW_WORLD_CACHE", root);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function needOf(make: Need["make"], requirements = "one==1"): Need {
  return {
    name: "one",
    what: "One",
    seconds: 1,
    megabytes: 1,
    requirements: () => requirements,
    make,
  };
}

it("makes a need once and keeps its folder", async () => {
  const make = vi.fn<Need["make"]>(({ folder }) =>
    Promise.resolve(writeFileSync(join(folder, "x"), "1")),
  );
  const folder = await makeNeed(needOf(make), () => undefined);
  expect(await makeNeed(needOf(make), () => undefined)).toBe(folder);
  expect(make).toHaveBeenCalledTimes(1);
  expect(readFileSync(join(folder, "x"), "utf8")).toBe("1");
});

it("gives other requirements another folder", () => {
  const make: Need["make"] = () => Promise.resolve();
  expect(folderOf(needOf(make, "one==1"))).not.toBe(folderOf(needOf(make, "one==2")));
});

it("rebuilds a folder left by an interrupted setup", async () => {
  const need = needOf(({ folder }) => Promise.resolve(writeFileSync(join(folder, "x"), "whole")));
  mkdirSync(folderOf(need), { recursive: true });
  writeFileSync(join(folderOf(need), "half"), "");
  expect(isMade(need)).toBe(false);
  await makeNeed(need, () => undefined);
  expect(existsSync(join(folderOf(need), "half"))).toBe(false);
  expect(isMade(need)).toBe(true);
});

it("does not count a need with a failed setup, and releases its lock", async () => {
  const need = needOf(() => Promise.reject(new Error("no registry")));
  await expect(makeNeed(need, () => undefined)).rejects.toThrow("no registry");
  expect(isMade(need)).toBe(false);
  expect(existsSync(`${folderOf(need)}.lock`)).toBe(false);
});

it("waits for another setup of the same need", async () => {
  const made = Promise.withResolvers<void>();
  const make = vi.fn<Need["make"]>(() => made.promise);
  const first = makeNeed(needOf(make), () => undefined);
  const said: string[] = [];
  const second = makeNeed(needOf(make), (line) => said.push(line));
  await expect.poll(() => said.length).toBe(1);
  made.resolve();
  expect(await second).toBe(await first);
  expect(make).toHaveBeenCalledTimes(1);
});

it("takes over the lock of a killed setup", async () => {
  const need = needOf(() => Promise.resolve());
  const path = `${folderOf(need)}.lock`;
  mkdirSync(root, { recursive: true });
  writeFileSync(path, "1");
  const long = new Date(Date.now() - 120_000);
  utimesSync(path, long, long);
  await makeNeed(need, () => undefined);
  expect(isMade(need)).toBe(true);
});
