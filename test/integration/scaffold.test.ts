// `npm create edgecrew` from packed tarballs in an empty folder, up to the first finished run.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Scaffold, type ScaffoldProject } from "../support/scaffold.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let scaffold: Scaffold;

beforeAll(() => {
  scaffold = new Scaffold();
}, 600_000);

afterAll(() => scaffold.remove(), 600_000);

it("has one file beside its templates, of the version of edgecrew (SC7)", () => {
  const installed = join(scaffold.folder, "node_modules/create-edgecrew");
  expect(statSync(join(installed, "dist/create-edgecrew.js")).size).toBeLessThan(1_250_000);
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

type Template = {
  readonly template: string;
  /** What `npm start` names to try. */
  readonly hint: string;
  readonly scripts: readonly string[];
  /** Runs, and a part of what each prints. */
  readonly runs: ReadonlyArray<readonly [args: readonly string[], part: string]>;
};

const TEMPLATES: readonly Template[] = [
  {
    template: "crew",
    hint: 'npx edgecrew run research --input topic="…"',
    scripts: ["test", "types", "build"],
    runs: [[["run", "research", "--input", "topic=tea"], "Camellia sinensis"]],
  },
  {
    template: "flow",
    hint: "npx edgecrew run triage",
    scripts: ["test", "types", "build"],
    runs: [[["run", "triage", "--input", "ticket=Where is my parcel?"], "Sent: "]],
  },
  {
    template: "conversation",
    hint: "npx edgecrew chat desk",
    scripts: ["test", "types", "build"],
    runs: [
      [["chat", "desk", "-m", "Where is my order?", "-m", "1204"], "Order 1204 is on its way"],
      [["chat", "desk", "-m", "Which tea is strong?"], "Assam"],
    ],
  },
  {
    template: "fullstack",
    hint: "npx edgecrew run briefing",
    scripts: ["test", "types", "build"],
    runs: [[["run", "facts", "--input", "notes=Tea is a drink."], "Tea is a drink"]],
  },
  {
    template: "yaml",
    hint: 'npx edgecrew run research --input topic="…"',
    scripts: ["test"],
    runs: [
      [["run", "research", "--input", "topic=tea"], "Camellia sinensis"],
      [["run", "briefing", "--input", "topic=tea"], "Camellia sinensis"],
    ],
  },
];

describe.each(TEMPLATES)("the template $template", ({ template, hint, scripts, runs }) => {
  let project: ScaffoldProject;

  it("is made, installed, tested, type-checked, and could be deployed (SC1)", () => {
    const made = scaffold.create(`my-${template}`, "--template", template, "--yes");
    expect([made.stderr, made.status]).toEqual(["", 0]);
    project = scaffold.project(`my-${template}`);
    expect(existsSync(join(project.folder, ".git"))).toBe(true);
    for (const script of scripts) project.npm("run", script);
    const { stdout, stderr, status } = project.edgecrew("deploy", "--dry-run");
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("✗")]);
    expect(stdout).toContain("npx wrangler deploy --env production");
  }, 300_000);

  it("serves, and finishes its first run (SC1)", async () => {
    const { url, said } = await project.start();
    try {
      expect(said).toContain(hint);
      for (const [args, part] of runs) {
        const { status, stdout, stderr } = project.edgecrew(...args);
        expect([status, stdout, stderr]).toEqual([0, expect.stringContaining(part), stderr]);
      }
    } finally {
      await project.stop();
    }
    await expect.poll(() => isServed(url), { timeout: 10_000 }).toBe(false);
  }, 300_000);
});

/** One of each kind. */
const ADDED = [
  ["crew", "desk"],
  ["flow", "hello"],
  ["agent", "front-desk"],
  ["tool", "count-lines"],
  ["tool", "SerperDevTool"],
  ["skill", "manners"],
  ["knowledge", "handbook"],
  ["schedule", "digest", "--crew", "desk"],
  ["hook", "issues", "--crew", "desk"],
];

describe.each(["crew", "yaml"])("the template %s, added to", (template) => {
  it("is still tested, type-checked and served (CL28)", async () => {
    const project = scaffold.project(`my-${template}`);
    for (const words of ADDED) {
      const { status, stdout, stderr } = project.edgecrew("add", ...words);
      expect([words, stderr, status]).toEqual([words, "", 0]);
      expect(stdout).not.toContain("of another shape");
    }
    project.npm("test");
    if (template === "crew") project.npm("run", "types");
    await project.start();
    try {
      for (const name of ["desk", "hello"]) {
        const { status, stdout } = project.edgecrew("run", name, "--input", "topic=tea");
        expect([status, stdout]).toEqual([0, expect.stringContaining("tea")]);
      }
    } finally {
      await project.stop();
    }
  }, 300_000);
});

/** A namespace without a network needs rights of the kernel that not every machine gives. */
const hasNamespaces = spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;

it.runIf(hasNamespaces)(
  "needs no network once it is installed (SC2)",
  () => {
    const { folder } = scaffold.project("my-flow");
    const script = `ip link set lo up
      npm test || exit 1
      npm start -- --port 8787 & trap "kill $!" EXIT
      until node -e 'fetch("http://127.0.0.1:8787/healthz").catch(() => process.exit(1))'; do sleep 1; done
      sleep 2
      npx edgecrew run triage --input ticket="Where is my parcel?"`;
    const { stdout, stderr, status } = spawnSync(
      "unshare",
      ["-rn", "timeout", "250", "bash", "-c", script],
      {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, CI: "1" },
      },
    );
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining("Sent: "), stderr]);
  },
  300_000,
);

const managers = ["pnpm", "yarn"].map(
  (name) => [name, spawnSync(name, ["--version"]).status === 0] as const,
);

describe.each(managers)("%s", (manager, isThere) => {
  it.runIf(isThere)(
    "installs a project, whose tests pass (SC4)",
    () => {
      const made = scaffold.create(`by-${manager}`, "--template", "crew", "--pm", manager, "--yes");
      expect([made.stderr, made.status]).toEqual(["", 0]);
      const { folder } = scaffold.project(`by-${manager}`);
      expect(spawnSync(manager, ["test"], { cwd: folder }).status).toBe(0);
    },
    300_000,
  );
});

function isServed(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}
