import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { decorators, definitions } from "../../../src/entry/vite.ts";
import { addFiles, projectFolder } from "../../support/project-folder.ts";

const DECORATED = "class Desk {\n  @agent clerk() {}\n}\n";

it("lowers decorators, and leaves files without them unchanged", async () => {
  const plugin = decorators();
  const lowered = await plugin.transform(DECORATED, "/desk/src/desk.ts?v=1");
  expect(lowered?.code).not.toMatch(/^\s*@agent/m);
  expect(lowered?.code).toContain("clerk");
  expect(lowered?.map).toContain("desk.ts");
  expect(await plugin.transform("export const plain = 1;", "/desk/src/plain.ts")).toBeUndefined();
  expect(await plugin.transform(DECORATED, "/desk/node_modules/x/desk.ts")).toBeUndefined();
  expect(await plugin.transform(DECORATED, "/desk/src/desk.css")).toBeUndefined();
});

it("names the missing esbuild package at the first file with decorators", async () => {
  const project = await mkdtemp(join(tmpdir(), "no-esbuild-"));
  try {
    await cp(new URL("../../../src/entry/vite.ts", import.meta.url), join(project, "vite.ts"));
    const script = `
      const plugin = (await import("./vite.ts")).decorators();
      const plain = await plugin.transform("export const plain = 1;", "/desk/src/plain.ts");
      const failure = await plugin.transform(${JSON.stringify(DECORATED)}, "/desk/src/desk.ts").catch(String);
      console.log(JSON.stringify([plain ?? "left alone", failure]));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { cwd: project },
    );
    expect(JSON.parse(stdout)).toEqual([
      "left alone",
      "Error: edgecrew/vite needs esbuild: npm install --save-dev esbuild",
    ]);
  } finally {
    await rm(project, { recursive: true });
  }
});

it("makes the definitions of a project before its tests, and again when one of them changes", async () => {
  const folder = projectFolder({ "skills/odd/SKILL.md": SKILL });
  const plugin = definitions();
  await plugin.configResolved({ root: folder });
  const module = join(folder, ".edgecrew", "definitions.ts");
  expect(await readFile(module, "utf8")).toContain("Write plainly.");
  addFiles(folder, { "skills/odd/SKILL.md": SKILL.replace("plainly", "briefly") });
  await plugin.watchChange(join(folder, "src", "worker.ts"));
  expect(await readFile(module, "utf8")).toContain("Write plainly.");
  await plugin.watchChange(join(folder, "skills", "odd", "SKILL.md"));
  expect(await readFile(module, "utf8")).toContain("Write briefly.");
  addFiles(folder, { "skills/odd/SKILL.md": "nothing" });
  await expect(plugin.watchChange(join(folder, "skills", "odd", "SKILL.md"))).rejects.toThrow(
    "skills/odd/SKILL.md: ",
  );
});

const SKILL = "---\nname: odd\ndescription: Odd things.\n---\nWrite plainly.\n";
