// The package as users get it: packed, installed into an empty project, with the README's own Worker under `wrangler dev`.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, runBlock } from "../support/doc-commands.ts";
import { addFiles } from "../support/project-folder.ts";
import { packedPackage } from "../support/packed-package.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-packed-`);
const project = { cwd: folder, persistTo: `${folder}/state` };

/** The Worker, its configuration and the commands that the README shows for a project of one's own. */
const readme = `${root}/README.md`;
const WORKER = blocksOf(readme, "ts").find((block) => block.startsWith("// src/worker.ts")) ?? "";
const CONFIG = blocksOf(readme, "toml")[0] ?? "";
const ASK = blocksOf(readme, "sh")
  .find((block) => block.includes("npx wrangler dev"))
  ?.split("\n")
  .filter((line) => line.startsWith("curl"))
  .join("\n");

const SCRIPT = `
import { Agent, Crew, Task } from "edgecrew";
import { EdgecrewClient } from "edgecrew/client";
import { scriptedModel } from "edgecrew/testing";

const agent = new Agent({ role: "Clerk", goal: "Answer", backstory: "Plain.", llm: scriptedModel(["Forty-two."]) });
const crew = new Crew({ tasks: [new Task({ description: "Answer", expectedOutput: "A number", agent })] });
const local = await crew.kickoff();
const client = new EdgecrewClient({ baseUrl: process.argv[2] });
const run = await client.crews.kickoff("desk", { inputs: { question: "When do you close?" } });
const remote = await run.output();
console.log(JSON.stringify({ local: local.raw, remote: remote.raw }));
`;

/** The Worker imports from `cloudflare:workers`, the plugin needs esbuild. */
const NOT_FOR_NODE = new Set(["./worker", "./vite", "./react"]);

let dev: WranglerDev | undefined;

beforeAll(() => {
  const packed = packedPackage("edgecrew", folder);
  writeFileSync(
    `${folder}/package.json`,
    JSON.stringify({ name: "desk", private: true, type: "module" }),
  );
  npm(["install", "--no-audit", "--no-fund", packed, "zod@4.6.7"], folder);
  mkdirSync(`${folder}/src`);
  writeFileSync(`${folder}/src/worker.ts`, WORKER);
  writeFileSync(`${folder}/wrangler.toml`, CONFIG);
  writeFileSync(`${folder}/script.mjs`, SCRIPT);
}, 600_000);

afterAll(async () => {
  await dev?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it("runs a crew of its own in an empty project, in a Worker, through the client, and in a plain script", async () => {
  migrate(project);
  dev = await WranglerDev.start(project);
  const output = execFileSync(process.execPath, ["script.mjs", dev.url], {
    cwd: folder,
    encoding: "utf8",
  });
  const { local, remote } = JSON.parse(output) as { local: string; remote: string };
  expect(local).toBe("Forty-two.");
  expect(remote).toContain("closes at 18");
  const { requests, output: answer } = await runBlock(ASK ?? "", { cwd: folder, url: dev.url });
  expect(requests.map(({ status }) => status)).toEqual([200]);
  expect(answer).toContain("The shop opens at 9 and closes at 18, from Monday to Saturday.");
}, 120_000);

describe("its command line", () => {
  it("needs no other packages, and loads its check of Node alone (CL30)", () => {
    const installed = `${folder}/node_modules/edgecrew`;
    const files = readdirSync(`${installed}/dist/cli`);
    const bytes = files.map((file) => statSync(`${installed}/dist/cli/${file}`).size);
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(1_750_000);
    const command = readFileSync(`${installed}/dist/cli/edgecrew.js`, "utf8");
    const linked = command.matchAll(/\b(?:import|from)\s*"([^"]+)"/g);
    expect(Array.from(linked, ([, name]) => name)).toEqual(["node:module", "node:process"]);
    expect(existsSync(`${folder}/node_modules/commander`)).toBe(false);
    const { version } = JSON.parse(readFileSync(`${installed}/package.json`, "utf8")) as {
      version: string;
    };
    expect(edgecrew(["--version"])).toEqual({ stdout: `${version}\n`, stderr: "", status: 0 });
    expect(edgecrew(["rum"])).toMatchObject({
      stderr: expect.stringContaining("did you mean run?"),
      status: 2,
    });
  });

  const olderNode = findOlderNode();
  it.skipIf(olderNode === undefined)(
    "names the required Node on an older one, and ends 2 (CL30)",
    () => {
      const { node = "", version } = olderNode ?? {};
      const command = `${folder}/node_modules/.bin/edgecrew`;
      const { stdout, stderr, status } = spawnSync(node, [command, "--help"], { encoding: "utf8" });
      expect({ stdout, stderr, status }).toEqual({
        stdout: "",
        stderr: `Edgecrew needs Node 22.12 or later; this is ${version}\n`,
        status: 2,
      });
    },
  );

  it("makes a module of the definitions in folders, which type-checks", () => {
    addFiles(folder, {
      "crews/hours/agents.yaml": "clerk:\n  role: Clerk\n  goal: Answer\n  backstory: Plain.\n",
      "crews/hours/tasks.yaml":
        "answer:\n  description: Answer {question}\n  expected_output: A line\n  agent: clerk\n",
      "crews/hours/crew.yaml": "skills: [manners]\n",
      "skills/manners/SKILL.md": "---\nname: manners\ndescription: Tone.\n---\nBe kind.\n",
      "skills/manners/words.md": "please",
      "flows/hello.yaml":
        "schema: crewai.flow/v1\nname: Hello\nmethods:\n  greet:\n    start: true\n    do:\n      call: expression\n      expr: \"'hello'\"\n",
    });
    const { stdout, stderr, status } = edgecrew(["build", "--json"]);
    expect([stderr, status]).toEqual(["", 0]);
    expect(JSON.parse(stdout)).toMatchObject({
      crews: ["hours"],
      flows: ["hello"],
      skills: ["manners"],
    });
    const errors = typeErrors(
      "folders.ts",
      `import { definitions } from "./.edgecrew/definitions.ts";
       import { defineApp } from "edgecrew/worker";
       const { crews, flows, skills } = definitions({ tools: [] });
       export const app = defineApp({ crews: { hours: crews.hours }, flows });
       export const tone: string = skills.manners.instructions;
       // @ts-expect-error there is no such crew
       export const none = crews.nothing;`,
      "--allowImportingTsExtensions",
    );
    expect(errors).toBe("");
  });
});

describe("types of startable subjects", () => {
  const USE = `import { EdgecrewClient } from "edgecrew/client";
import type { Api } from "./edgecrew.d.ts";
type Inputs = Api["crews"]["desk"]["inputs"];
export const inputs: Inputs = { question: "When?", more: 1 };
// @ts-expect-error the input that the crew needs is missing
export const none: Inputs = {};
// @ts-expect-error there is no such crew
export type Nobody = Api["crews"]["nobody"];
export const run = () => new EdgecrewClient({ baseUrl: "" }).crews.kickoff("desk", { inputs });
`;

  it.each([
    ["a browser's project", ["es2022", "dom", "dom.iterable"], []],
    ["a Worker", ["es2022"], [`${root}/node_modules/@cloudflare/workers-types`]],
  ])("compile in %s, beside the client, with every declaration checked (CL23)", (_, lib, types) => {
    const { status, stderr } = edgecrew([
      "types",
      "--url",
      dev?.url ?? "",
      "--out",
      "web/edgecrew.d.ts",
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    const compilerOptions = {
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      allowImportingTsExtensions: true,
      lib,
      types,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    addFiles(folder, {
      "web/use.ts": USE,
      "web/tsconfig.json": JSON.stringify({ compilerOptions, files: ["use.ts", "edgecrew.d.ts"] }),
    });
    const tsc = `${root}/node_modules/typescript/bin/tsc`;
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", "web"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });

  it("are stale when the code has changed (CL23)", () => {
    const args = ["types", "--url", dev?.url ?? "", "--out", "web/edgecrew.d.ts", "--check"];
    expect(edgecrew(args).status).toBe(0);
    const path = `${folder}/web/edgecrew.d.ts`;
    writeFileSync(path, readFileSync(path, "utf8").replace("question", "topic"));
    expect(edgecrew(args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("out of date"),
    });
  });
});

it("has the pages of the console, with their headers, and copies them among assets of one's own", () => {
  const pages = `${folder}/node_modules/edgecrew/dist/console-root`;
  const html = readFileSync(`${pages}/console/index.html`, "utf8");
  const scripts = Array.from(html.matchAll(/\/console\/(assets\/[\w.-]+)/g), ([, path]) => path);
  expect(scripts.length).toBeGreaterThan(1);
  for (const path of scripts) expect(existsSync(`${pages}/console/${path}`)).toBe(true);
  expect(readFileSync(`${pages}/_headers`, "utf8")).toContain("Content-Security-Policy");
  expect(edgecrew(["console", "copy", "public"])).toMatchObject({ status: 0 });
  expect(readFileSync(`${folder}/public/console/index.html`, "utf8")).toBe(html);
});

it("has all link targets of its README", () => {
  const markdown = readFileSync(readme, "utf8");
  const links = Array.from(markdown.matchAll(/\]\(([^)#\s]+)/g), ([, target = ""]) => target);
  const missing = links
    .filter((target) => !target.startsWith("http"))
    .filter((target) => !existsSync(`${folder}/node_modules/edgecrew/${target}`));
  expect(links.length).toBeGreaterThan(25);
  expect(missing).toEqual([]);
});

it("has the wrangler version of the README tested with it", () => {
  const { devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    devDependencies: Record<string, string>;
  };
  expect(readFileSync(readme, "utf8")).toContain(`wrangler@${devDependencies["wrangler"]}\n`);
});

it("names the required Node in one sentence, and its client works without it", () => {
  const script = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.0" } });
    const failed = await import("edgecrew").catch((error) => error.message);
    const { EdgecrewClient } = await import("edgecrew/client");
    console.log(failed, typeof EdgecrewClient);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(output.trim()).toBe("Edgecrew needs Node 22.12 or later; this is 20.20.0 function");
});

it("declares a client for browsers without types of Node or of Workers", () => {
  writeFileSync(
    `${folder}/browser.ts`,
    'import { EdgecrewClient } from "edgecrew/client";\nexport const client = new EdgecrewClient({ baseUrl: "" });\n',
  );
  const compilerOptions = {
    target: "es2024",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const files = ["browser.ts"];
  writeFileSync(`${folder}/browser.json`, JSON.stringify({ compilerOptions, files }));
  const compiler = [`${root}/node_modules/typescript/bin/tsc`, "-p", `${folder}/browser.json`];
  const { stdout, status } = spawnSync(process.execPath, compiler, { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

it("can be imported by every subpath for plain Node", () => {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    exports: Record<string, string | object>;
  };
  const subpaths = Object.entries(exports)
    .filter(([subpath, target]) => typeof target === "object" && !NOT_FOR_NODE.has(subpath))
    .map(([subpath]) => subpath.replace(".", "edgecrew"));
  expect(subpaths).toContain("edgecrew/embeddings");
  const script = `for (const subpath of ${JSON.stringify(subpaths)})
    if (Object.keys(await import(subpath)).length > 0) console.log(subpath);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(output.trim().split("\n")).toEqual(subpaths);
});

it("type-checks in the project under its own compiler settings", () => {
  const errors = typeErrors(
    "typed.ts",
    `import { Agent, Crew, onEvent, Task, type EventType } from "edgecrew";
     import * as z from "zod";
     const agent = new Agent({ role: "a", goal: "b", backstory: "c" });
     const crew = new Crew({ tasks: [new Task({ description: "d", expectedOutput: "e", agent, output: z.object({ count: z.number() }) })] });
     export const count: Promise<number | undefined> = crew.kickoff().then(({ object }) => object?.count);
     export const listener = onEvent("memory_query_completed", ({ queryTimeMs }) => console.log(queryTimeMs.toFixed(1)));
     // @ts-expect-error the types of events are a closed list
     export const none: EventType = "crew_went_home";`,
  );
  expect(errors).toBe("");
});

it("takes services and events of a user's own part into its types", () => {
  const errors = typeErrors(
    "part.ts",
    `import { onEvent } from "edgecrew";
     import type { Part } from "edgecrew/parts";
     import { defineApp } from "edgecrew/worker";

     type Prices = { of(item: string): Promise<number> };

     declare module "edgecrew/parts" {
       interface RunServices {
         readonly prices?: Prices;
       }
       interface EventPayloads {
         price_found: { item: string; cents: number };
       }
     }

     const prices: Part = {
       name: "prices",
       services: { prices: ({ tenant }) => ({ of: async (item) => tenant.length * item.length }) },
       events: ["price_found"],
       kinds: {
         price: {
           program: ({ name: item }) => ({
             tasks: [],
             run: async (scope) => {
               const cents = await scope.at("ask").step<number>({
                 kind: "effect",
                 run: async () => (await scope.services.prices?.of(item)) ?? 0,
               });
               scope.emit("price_found", { item, cents });
               // @ts-expect-error the payload has no such field
               scope.emit("price_found", { item, euros: cents });
               // @ts-expect-error no part declares it
               void scope.services.costs;
               return { cents };
             },
           }),
         },
       },
     };
     // @ts-expect-error the service is of another type
     export const wrong: Part = { name: "wrong", services: { prices: () => ({ of: () => 3 }) } };
     export const app = defineApp({ parts: [prices] });
     export const listener = onEvent("price_found", ({ cents }) => console.log(cents.toFixed(2)));`,
  );
  expect(errors).toBe("");
});

/** What the compiler says about a file of the project. */
function typeErrors(name: string, source: string, ...more: readonly string[]): string {
  writeFileSync(`${folder}/${name}`, source);
  const options = "--noEmit --strict --module nodenext --target es2024 --skipLibCheck --types";
  const { stdout } = spawnSync(
    process.execPath,
    [`${root}/node_modules/typescript/bin/tsc`, ...options.split(" "), "", ...more, name],
    { cwd: folder, encoding: "utf8" },
  );
  return stdout;
}

/** The installed command, as a project has it. */
function edgecrew(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [`${folder}/node_modules/.bin/edgecrew`, ...args],
    { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"], ...variables } },
  );
  return { stdout, stderr, status };
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Finds a Node of this machine that is too old for Edgecrew. */
function findOlderNode(): { readonly node: string; readonly version: string } | undefined {
  for (const path of (process.env["PATH"] ?? "").split(delimiter)) {
    const node = join(path, "node");
    if (!existsSync(node)) continue;
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1);
    if (Number.parseInt(version) < 22) return { node, version };
  }
  return undefined;
}
