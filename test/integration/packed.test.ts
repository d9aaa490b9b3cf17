// The package as users get it: packed, installed into an empty project, a small Worker with a crew of its own under
// `wrangler dev`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-packed-`);
const project = { cwd: folder, persistTo: `${folder}/state` };

const WORKER = `
import { Agent, Crew, Task, tool } from "edgecrew";
import { defineApp } from "edgecrew/worker";
import * as z from "zod";

const double = tool({
  name: "double",
  description: "Double a number.",
  input: z.object({ number: z.number() }),
  run: ({ number }) => number * 2,
});
const clerk = new Agent({ role: "Clerk", goal: "Double numbers", backstory: "You count.", tools: [double] });
const task = new Task({ name: "double", description: "Double the number {number}", expectedOutput: "The doubled number", agent: clerk });

const app = defineApp({ crews: { doubling: new Crew({ name: "doubling", tasks: [task] }) } });
export default app;
export const { CrewRun } = app.durableObjects;
`;

const CONFIG = `
name = "desk"
main = "worker.ts"
compatibility_date = "2026-08-15"
compatibility_flags = ["nodejs_compat"]
[vars]
EDGECREW_AUTH = "open"
[durable_objects]
bindings = [{ name = "CREW_RUN", class_name = "CrewRun" }]
[[migrations]]
tag = "v1"
new_sqlite_classes = ["CrewRun"]
[[d1_databases]]
binding = "DB"
database_name = "desk"
migrations_dir = "node_modules/edgecrew/migrations"
`;

const SCRIPT = `
import { Agent, Crew, Task } from "edgecrew";
import { EdgecrewClient } from "edgecrew/client";
import { scriptedModel } from "edgecrew/testing";

const agent = new Agent({ role: "Clerk", goal: "Answer", backstory: "Plain.", llm: scriptedModel(["Forty-two."]) });
const crew = new Crew({ tasks: [new Task({ description: "Answer", expectedOutput: "A number", agent })] });
const local = await crew.kickoff();
const client = new EdgecrewClient({ baseUrl: process.argv[2] });
const run = await client.crews.kickoff("doubling", { inputs: { number: 21 } });
const remote = await run.output();
console.log(JSON.stringify({ local: local.raw, remote: remote.raw }));
`;

/** The Worker imports from `cloudflare:workers`, the plugin needs esbuild. */
const NOT_FOR_NODE = new Set(["./worker", "./vite"]);

let dev: WranglerDev | undefined;

beforeAll(() => {
  const packed = npm(["pack", "--json", "--pack-destination", folder], root);
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("["))) as [{ filename: string }];
  writeFileSync(
    `${folder}/package.json`,
    JSON.stringify({ name: "desk", private: true, type: "module" }),
  );
  npm(["install", "--no-audit", "--no-fund", `./${filename}`, "zod@4.6.7"], folder);
  writeFileSync(`${folder}/worker.ts`, WORKER);
  writeFileSync(`${folder}/wrangler.toml`, CONFIG);
  writeFileSync(`${folder}/script.mjs`, SCRIPT);
}, 180_000);

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
  expect(remote).toContain("42");
}, 120_000);

it("declares a client for browsers that needs no types of Node or of Workers", () => {
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

it("can be imported by every subpath that plain Node runs", () => {
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

it("type-checks in that project under its own compiler settings", () => {
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
function typeErrors(name: string, source: string): string {
  writeFileSync(`${folder}/${name}`, source);
  const options = "--noEmit --strict --module nodenext --target es2024 --skipLibCheck --types";
  const { stdout } = spawnSync(
    process.execPath,
    [`${root}/node_modules/typescript/bin/tsc`, ...options.split(" "), "", name],
    { cwd: folder, encoding: "utf8" },
  );
  return stdout;
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
