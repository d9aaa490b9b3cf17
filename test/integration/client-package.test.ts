// The package for front ends, as they get it: packed, installed into an empty project, compiled and run there.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpWorld } from "../support/http-app.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-front-end-`);
const installed = `${folder}/node_modules/edgecrew-client`;

type Manifest = {
  readonly version: string;
  readonly dependencies?: object;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

function npm(options: readonly string[], cwd: string): string {
  return execFileSync("npm", options, { cwd, encoding: "utf8" });
}

beforeAll(() => {
  const packed = npm(["pack", "--json", "--pack-destination", folder], `${root}/client`);
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("["))) as [{ filename: string }];
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", `./${filename}`], folder);
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((file) => `${path}/${file}`)
    .filter((file) => statSync(file).isFile());
}

/** Compiles a project that is in the folder, strictly and with the declarations of its packages. */
function compiled(compilerOptions: object, files: readonly string[]): string {
  const options = {
    target: "es2023",
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    ...compilerOptions,
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: options, files }));
  const compiler = [`${root}/node_modules/typescript/bin/tsc`, "-p", folder];
  return spawnSync(process.execPath, compiler, { encoding: "utf8" }).stdout;
}

describe("the package of front ends", () => {
  it("has no dependencies, and is small (CC12)", () => {
    const packages = readdirSync(`${folder}/node_modules`).filter((name) => !name.startsWith("."));
    expect(packages).toEqual(["edgecrew-client"]);
    const sizes = filesBelow(installed).map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
    const { version, dependencies } = manifestOf(`${installed}/package.json`);
    expect(dependencies).toBeUndefined();
    expect(version).toBe(manifestOf(`${root}/package.json`).version);
    const foreign = filesBelow(`${installed}/dist`).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"([^."][^"]*)"/g)].map(
        ([, name]) => name,
      ),
    );
    expect([...new Set(foreign)]).toEqual(["react"]);
  });

  it("starts and follows a run in Node, which then ends by itself (CC7)", async () => {
    const world = new HttpWorld();
    const server = await served(world);
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      `${folder}/script.mjs`,
      `import { createClient } from "edgecrew-client";
       import { createRunToken } from "edgecrew-client/tokens";
       const client = createClient({ url: process.argv[2] });
       const run = await client.crews.kickoff("briefing", { inputs: { topic: "tea" } });
       const types = [];
       for await (const { type } of run.events()) types.push(type);
       const { raw } = await run.output();
       console.log(JSON.stringify({ raw, last: types.at(-1), token: typeof createRunToken }));`,
    );
    const script = spawn(process.execPath, ["script.mjs", `http://127.0.0.1:${port}`], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    script.stdout.on("data", (data: Buffer) => (output += data.toString()));
    const ended = once(script, "exit");
    const moving = setInterval(() => void world.clock.advance(1_000), 50);
    await ended;
    clearInterval(moving);
    server.close();
    expect(JSON.parse(output)).toEqual({
      raw: "A fine answer",
      last: "run_completed",
      token: "function",
    });
  }, 60_000);

  it("compiles beside the types of a browser alone, its declarations included (CC1)", () => {
    writeFileSync(
      `${folder}/page.ts`,
      `import { createClient, type RunEvent } from "edgecrew-client";
       import { createRunToken } from "edgecrew-client/tokens";
       type Api = {
         crews: { haiku: { inputs: { topic: string }; output: { title: string } } };
         flows: {}; agents: {}; conversations: {};
       };
       const client = createClient<Api>({ url: "" });
       export async function title(): Promise<string> {
         const run = await client.crews.kickoff("haiku", { inputs: { topic: "rain" } });
         // @ts-expect-error a topic is a text
         void client.crews.kickoff("haiku", { inputs: { topic: 3 } });
         for await (const event of run.events({ types: ["task_*"] }))
           if (event.type === "task_started") event.taskName satisfies string;
         for await (const event of run.events()) if ("seq" in event) event satisfies RunEvent;
         await client.agents.kickoff("helper", [{ role: "user", content: "hi" }]);
         // @ts-expect-error there is no such role
         await client.agents.kickoff("helper", [{ role: "robot", content: "hi" }]);
         return (await run.output()).object.title;
       }
       export { createRunToken };`,
    );
    const lib = ["es2024", "dom", "dom.iterable", "dom.asynciterable"];
    expect(compiled({ lib, skipLibCheck: false }, ["page.ts"])).toBe("");
  }, 60_000);

  it("has the types of edgecrew/client: arguments and answers of methods (CC1)", () => {
    const index = readFileSync(`${root}/src/client/index.ts`, "utf8");
    const names = [...index.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list.split(",").flatMap((name) => name.trim() || []),
    );
    // Generic ones and classes cannot be compared by themselves; a model of a flow is any JSON here.
    const others = new Set(["Page", "RunClient", "RunHandle", "FlowView", "FlowDetails"]);
    const compared = names.filter((name) => !others.has(name));
    expect(compared.length).toBeGreaterThan(60);
    writeFileSync(
      `${folder}/same.ts`,
      `import type * as Source from "${root}/src/client/index.ts";
       import type * as Packed from "edgecrew-client";
       type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
       type Arguments<Client> = {
         [Section in keyof Client]: {
           [Method in keyof Client[Section]]: Client[Section][Method] extends (...input: infer Input) => unknown ? Input : never;
         };
       };
       type A = Arguments<Source.EdgecrewClient>;
       type B = Arguments<Packed.EdgecrewClient>;
       type Different = { [S in keyof A]: { [M in keyof A[S]]: Same<A[S][M], B[S][M]> extends true ? never : [S, M] }[keyof A[S]] }[keyof A];
       export const none: Same<Different, never> = true;
       ${compared.map((name) => `export const of${name}: Same<Source.${name}, Packed.${name}> = true;`).join("\n")}`,
    );
    mkdirSync(`${folder}/types`, { recursive: true });
    const compilerOptions = {
      lib: ["es2024"],
      types: ["@cloudflare/workers-types", "node"],
      typeRoots: [`${root}/node_modules/@types`, `${root}/node_modules`],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      experimentalDecorators: false,
    };
    expect(compiled(compilerOptions, ["same.ts"])).toBe("");
  }, 120_000);

  it("has hooks for the project's own React", () => {
    mkdirSync(`${folder}/node_modules/@types`, { recursive: true });
    for (const name of ["@types/react", "csstype", "react"])
      symlinkSync(`${root}/node_modules/${name}`, `${folder}/node_modules/${name}`);
    writeFileSync(
      `${folder}/view.ts`,
      `import { useRun, useText } from "edgecrew-client/react";
       export function useStatus(id: string): string {
         const { state } = useRun(id);
         return (state?.status ?? "") + useText(id);
       }`,
    );
    const lib = ["es2024", "dom", "dom.iterable", "dom.asynciterable"];
    expect(compiled({ lib, skipLibCheck: false }, ["view.ts"])).toBe("");
    const script = `import("edgecrew-client/react").then((hooks) => console.log(typeof hooks.useRun))`;
    const ran = spawnSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" });
    expect(ran).toMatchObject({ stdout: "function\n", status: 0 });
  }, 60_000);
});

/** The app of a world behind a real port. */
async function served(world: HttpWorld): Promise<Server> {
  const server = createServer((request, response) => void answer(world, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function answer(
  world: HttpWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const text = await new Response(request).text();
  const {
    status,
    headers: sent,
    body,
  } = await world.app.request(url, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(text === "" ? undefined : { body: text }),
  });
  response.writeHead(status, Object.fromEntries(sent));
  for await (const piece of body ?? []) response.write(piece);
  response.end();
}
