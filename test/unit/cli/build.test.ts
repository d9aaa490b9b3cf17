import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const CREW = {
  "wrangler.jsonc": "{}",
  "crews/desk/agents.yaml": "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n",
  "crews/desk/tasks.yaml":
    "answer:\n  description: Answer\n  expected_output: A line\n  agent: clerk\n",
};

it("makes the module, and reports when it is up to date", async () => {
  const cli = new Terminal({ cwd: projectFolder(CREW) });
  expect((await cli.run("build --check")).code).toBe(1);
  expect(await cli.run("build")).toMatchObject({
    code: 0,
    out: ".edgecrew/definitions.ts\n  crews: desk\n",
  });
  expect((await cli.run("build")).out).toContain("is up to date");
  expect((await cli.run("build --check")).code).toBe(0);
  expect(JSON.parse((await cli.run("build --json")).out)).toEqual({
    module: ".edgecrew/definitions.ts",
    changed: false,
    crews: ["desk"],
    flows: [],
    skills: [],
  });
});

it("ends 1 with every fault at its line, and writes no file", async () => {
  const folder = projectFolder({
    ...CREW,
    "crews/desk/tasks.yaml":
      "answer:\n  description: Answer\n  expected_output: A line\n  agent: nobody\nother:\n  expected_output: A line\n",
  });
  const { code, err } = await new Terminal({ cwd: folder }).run("build");
  expect(code).toBe(1);
  expect(err).toMatch(/crews\/desk\/tasks\.yaml:4:3: .*nobody/);
  expect(err).toMatch(/crews\/desk\/tasks\.yaml:5:1: other\.description/);
  expect(existsSync(join(folder, ".edgecrew"))).toBe(false);
});

it("names fields that CrewAI ignores, with their line, and builds", async () => {
  const folder = projectFolder({
    ...CREW,
    "crews/desk/agents.yaml": `${CREW["crews/desk/agents.yaml"]}  tool: PDFSearchTool\n`,
  });
  const { code, err } = await new Terminal({ cwd: folder }).run("build");
  expect(code).toBe(0);
  expect(err).toMatch(/crews\/desk\/agents\.yaml:5:3: clerk\.tool: is a field that CrewAI ignores/);
  expect(existsSync(join(folder, ".edgecrew/definitions.ts"))).toBe(true);
});

it("is wrong use outside of a project", async () => {
  const { code, err } = await new Terminal({ cwd: projectFolder({}) }).run("build");
  expect([code, err]).toEqual([2, expect.stringContaining("npm create edgecrew")]);
});
