import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { decorators } from "../../../src/vite.ts";

const DECORATED = "class Desk {\n  @agent clerk() {}\n}\n";

it("lowers decorators in sources that have some, and leaves other files alone", async () => {
  const plugin = decorators();
  const lowered = await plugin.transform(DECORATED, "/desk/src/desk.ts?v=1");
  expect(lowered?.code).not.toMatch(/^\s*@agent/m);
  expect(lowered?.code).toContain("clerk");
  expect(lowered?.map).toContain("desk.ts");
  expect(await plugin.transform("export const plain = 1;", "/desk/src/plain.ts")).toBeUndefined();
  expect(await plugin.transform(DECORATED, "/desk/node_modules/x/desk.ts")).toBeUndefined();
  expect(await plugin.transform(DECORATED, "/desk/src/desk.css")).toBeUndefined();
});

it("says what to install where esbuild is missing, once a file has decorators", async () => {
  const project = await mkdtemp(join(tmpdir(), "no-esbuild-"));
  try {
    await cp(new URL("../../../src/vite.ts", import.meta.url), join(project, "vite.ts"));
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
