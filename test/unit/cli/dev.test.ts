import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Processes } from "../../../src/cli/processes.ts";
import { Terminal } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const FILES = { "wrangler.jsonc": "{}", ".wrangler/state/v3/x.sqlite": "" };

/** A wrangler that is never run. */
const WRANGLER = {
  "node_modules/wrangler/package.json": '{"bin":{"wrangler":"bin.js"}}',
  "node_modules/wrangler/bin.js": "",
};

function machine(isFree: boolean): Processes {
  const program = { exited: Promise.resolve(1), signal: () => undefined };
  return {
    id: 7,
    parentId: () => 1,
    isFree: () => Promise.resolve(isFree),
    startNode: () => program,
    startProgram: () => program,
  };
}

it("CNF1: deletes the local state only after a yes (CL21)", async () => {
  const folder = projectFolder(FILES);
  const state = join(folder, ".wrangler/state");
  const cli = new Terminal({ cwd: folder, processes: machine(true) });
  const { code, err } = await cli.run("dev --reset");
  expect([code, err]).toEqual([2, expect.stringContaining("--yes")]);
  expect(existsSync(state)).toBe(true);
  await cli.run("dev --reset --yes");
  expect(existsSync(state)).toBe(false);
});

it("names another port when this one is taken, and changes no file (CL8)", async () => {
  const folder = projectFolder(FILES);
  const cli = new Terminal({ cwd: folder, processes: machine(false) });
  const { code, err } = await cli.run("dev --reset --yes --port 9000", {
    fetch: () => Promise.reject(new TypeError("no answer")),
  });
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/9000 is taken by another program[^]*9001/),
  ]);
  expect(existsSync(join(folder, ".wrangler/state"))).toBe(true);
});

it("names the wrangler to install when a project has none (CL8)", async () => {
  const cli = new Terminal({ cwd: projectFolder(FILES), processes: machine(true) });
  const { code, err } = await cli.run("dev");
  expect([code, err]).toEqual([2, expect.stringMatching(/npm install --save-dev wrangler@\d/)]);
});

it("SVP1, SVP2: a failed start names the reason, and leaves no file behind", async () => {
  const folder = projectFolder({ "wrangler.jsonc": "{}", ...WRANGLER });
  const cli = new Terminal({ cwd: folder, processes: machine(true), variables: {} });
  const { code, out, err } = await cli.run("run desk");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("serving it for this command");
  expect(err).toContain("the local D1 cannot be migrated");
  expect(existsSync(join(folder, ".edgecrew/dev.json"))).toBe(false);
});

it("does not serve the project for a command about a deployed Worker", async () => {
  const folder = projectFolder({ "wrangler.jsonc": "{}", ...WRANGLER });
  const cli = new Terminal({ cwd: folder, processes: machine(true), variables: {} });
  const { code, err } = await cli.run("keys ls");
  expect([code, err]).toEqual([4, expect.stringContaining("no Worker is named")]);
});

it.each(["dev --var GREETING:hello --port 9000", "dev --port 9000 -- --var GREETING:hello"])(
  "passes options of wrangler on: %s",
  async (line) => {
    const folder = projectFolder({ ...FILES, ...WRANGLER });
    const calls: string[] = [];
    const processes: Processes = {
      ...machine(true),
      startNode: (args) => {
        calls.push(args.slice(1).join(" "));
        return { exited: Promise.resolve(args[1] === "dev" ? 1 : 0), signal: () => undefined };
      },
    };
    const cli = new Terminal({ cwd: folder, processes });
    await cli.run(line, { fetch: () => Promise.reject(new TypeError("no answer")) });
    const served = calls.find((call) => call.startsWith("dev "));
    expect(served).toMatch(/^dev --port 9000 .*--var GREETING:hello/);
  },
);
