// `npm create edgecrew` from packed tarballs in an empty folder, up to the first finished run.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "edgecrew-scaffold-"));
let edgecrew = "";
let server: ChildProcess | undefined;

beforeAll(() => {
  edgecrew = packed(root);
  npm(["install", "--prefix", folder, "--no-audit", "--no-fund", packed(join(root, "create"))]);
}, 180_000);

afterAll(() => {
  server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

it("has one file beside its templates, of the version of edgecrew (SC7)", () => {
  const installed = join(folder, "node_modules/create-edgecrew");
  expect(statSync(join(installed, "dist/create-edgecrew.js")).size).toBeLessThan(600_000);
  const [own, made] = [root, installed].map(
    (path) =>
      JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
        version: string;
        dependencies?: object;
      },
  );
  expect(made?.version).toBe(own?.version);
  expect(made?.dependencies).toBeUndefined();
});

/** One of each kind: the project is still tested, type-checked and served with them (CL28). */
const ADDED = [
  ...["crew desk", "flow hello", "agent front-desk", "tool count-lines", "tool SerperDevTool"],
  ...[
    "skill manners",
    "knowledge handbook",
    "schedule digest --crew desk",
    "hook issues --crew desk",
  ],
];

describe.each([
  ["crew", ["research", "desk", "hello"]],
  ["yaml", ["research", "briefing", "desk", "hello"]],
])("the template %s", (template, runnable) => {
  const project = join(folder, `my-${template}`);

  it("is made, installed, added to, tested and type-checked (SC1, CL28)", () => {
    const bin = join(folder, "node_modules/.bin/create-edgecrew");
    const args = [bin, `my-${template}`, "--template", template, "--edgecrew", edgecrew, "--yes"];
    const made = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    expect([made.stderr, made.status]).toEqual(["", 0]);
    expect(existsSync(join(project, ".git"))).toBe(true);
    const edgecrewBin = join(project, "node_modules/.bin/edgecrew");
    for (const words of ADDED) {
      const args = [edgecrewBin, "add", ...words.split(" ")];
      const added = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
      expect([words, added.stderr, added.status]).toEqual([words, "", 0]);
      expect(added.stdout).not.toContain("of another shape");
    }
    npm(["test"], project);
    if (template === "crew") npm(["run", "types"], project);
  }, 300_000);

  it("serves, and finishes its first run (SC1)", async () => {
    const port = await freePort();
    const bin = join(project, "node_modules/.bin/edgecrew");
    server = spawn("npm", ["start", "--", "--port", String(port)], {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [server.stdout, server.stderr])
      stream?.on("data", (data: Buffer) => (text += data.toString()));
    await expect
      .poll(() => text, { timeout: 150_000, interval: 200 })
      .toContain('npx edgecrew run desk --input topic="…"');
    const runs = runnable.map((name) => {
      const args = [bin, "run", name, "--input", "topic=tea"];
      const { status, stdout } = spawnSync(process.execPath, args, {
        cwd: project,
        encoding: "utf8",
      });
      return { status, says: stdout.includes("tea") };
    });
    expect(runs).toEqual(runnable.map(() => ({ status: 0, says: true })));
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    await expect.poll(() => isServed(port), { timeout: 10_000 }).toBe(false);
  }, 300_000);
});

function packed(path: string): string {
  const said = npm(["pack", "--json", "--pack-destination", folder], path);
  const [{ filename }] = JSON.parse(said.slice(said.indexOf("["))) as [{ filename: string }];
  return join(folder, filename);
}

function npm(args: readonly string[], cwd = folder): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function isServed(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
