// The pages that a newcomer reads first, from packed tarballs in an empty folder, in the order of their reading.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DocProject, isAsShown, projectBlocksOf } from "../support/doc-project.ts";
import { freePort } from "../support/free-port.ts";
import { packedPackage } from "../support/packed-package.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "edgecrew-start-"));
let project: DocProject | undefined;

/** Each goes on from those before it. */
const PAGES = [
  "start-five-minutes",
  "start-first-flow",
  "start-person",
  "start-front-end",
  "start-deploy",
];

beforeAll(async () => {
  const edgecrew = packedPackage("edgecrew", folder);
  const create = packedPackage("create-edgecrew", folder);
  npm(["install", "--prefix", join(folder, "tools"), "--no-audit", "--no-fund", create]);
  const createBin = join(folder, "tools/node_modules/.bin/create-edgecrew");
  project = new DocProject({ folder, edgecrew, createBin, port: await freePort() });
}, 240_000);

afterAll(async () => {
  await project?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it.each(PAGES)(
  "a reader of %s gets the page's results (DO1)",
  async (page) => {
    const blocks = projectBlocksOf(`${root}/docs/${page}.md`);
    const made = project;
    if (made === undefined) throw new Error("the project was not made");
    expect(blocks.filter(({ kind }) => kind !== "file").length).toBeGreaterThan(0);
    for (const block of blocks) {
      if (block.kind === "file") {
        made.save(block.path, block.text);
        continue;
      }
      const shown = block.expected;
      const { printed, faults } =
        block.kind === "server"
          ? { printed: await made.serve(block.commands, shown), faults: "" }
          : await made.run(block.commands);
      expect(faults).toBe("");
      expect(shown === "" || isAsShown(printed, shown) ? "as shown" : printed).toBe("as shown");
    }
  },
  400_000,
);

function npm(args: readonly string[], cwd = folder): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
