// A Worker carries only what it uses.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type BuildOptions } from "esbuild";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const FOR_WORKERS: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "browser"], // as wrangler has them
  external: ["cloudflare:*", "node:*", "stream"],
  // as those of a deployment
  define: {
    "navigator.userAgent": '"Cloudflare-Workers"',
    "process.env.NODE_ENV": '"production"',
    "globalThis.process.env.NODE_ENV": '"production"',
  },
  write: false,
  logLevel: "silent",
};

/** The files of ours that a program is made of, after what nobody asks for was dropped. */
async function filesOf(program: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...FOR_WORKERS,
    stdin: { contents: program, resolveDir: root, loader: "ts" },
    splitting: true,
    outdir: "/unused",
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
}

const MACHINERY = /^src\/(entry\/)?(memory|knowledge|vectors)[/.](?!events\.ts$)/;
const A2A = /@a2a-js|^src\/(entry\/a2a\.ts|protocols\/a2a\/)/;
const HEAVY = /node_modules\/(unpdf|htmlparser2|fflate)\//;

it("leaves memory and knowledge out of a Worker of crews alone", async () => {
  const files = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(files).toContain("src/crew/run-crew.ts");
  expect(files.filter((path) => MACHINERY.test(path) || A2A.test(path))).toEqual([]);
}, 30_000);

it("leaves them out of programs with only crews, agents and flows", async () => {
  const files = await filesOf(
    'import { Agent, Crew, Task } from "./src/index.ts"; import { defineFlow } from "./src/flow/index.ts"; console.log(Agent, Crew, Task, defineFlow)',
  );
  expect(files).toContain("src/flow/run-flow.ts");
  expect(files.filter((path) => MACHINERY.test(path))).toEqual([]);
}, 30_000);

it("leaves the layout of flows and conversations, and the clients of SDKs, out of a Worker of crews alone", async () => {
  const isOne = (path: string): boolean =>
    /\/@dagrejs\/|\/@opentelemetry\/|node_modules\/(openai|@anthropic-ai\/sdk)\/(client|lib|resources)[./]|^src\/graph\/(row-layout|graph-layout)\./.test(
      path,
    );
  const without = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(without).toContain("src/graph/lane-layout.ts");
  expect(without).toContain("src/llm/anthropic/model.ts");
  expect(without.filter(isOne)).toEqual([]);
  const drawing = ["examples/announce.ts", "examples/debate.ts"].map((path) =>
    filesOf(`export * from "./${path}"`),
  );
  for (const files of await Promise.all(drawing))
    expect(files.filter(isOne)).toContain("src/graph/row-layout.ts");
}, 60_000);

it.each([
  ["the demo model", "llm/offline/demo-model", { entry: "models", name: "demoModel" }],
  ["CrewAI's hosted API", "protocols/crewai/", { entry: "crewai-api", name: "crewaiApi" }],
  ["the API's description", "http/openapi/", { entry: "api-description", name: "apiDescription" }],
])(
  "leaves %s out of a Worker of crews alone",
  async (_, path, { entry, name }) => {
    const isOne = (file: string): boolean => file.startsWith(`src/${path}`);
    const without = await filesOf('export * from "./examples/crews-alone.ts"');
    expect(without.filter(isOne)).toEqual([]);
    const named = await filesOf(`export { ${name} } from "./src/entry/${entry}.ts"`);
    expect(named.some(isOne)).toBe(true);
  },
  30_000,
);

it("leaves the MCP client out of a Worker without MCP servers", async () => {
  const isMcp = (path: string): boolean =>
    /^src\/(entry\/mcp\.ts|protocols\/mcp\/)|\/@modelcontextprotocol\//.test(path);
  const without = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(without.filter(isMcp)).toEqual([]);
  const connected = await filesOf('export { mcpClient } from "./src/entry/mcp.ts"');
  expect(connected.some(isMcp)).toBe(true);
}, 30_000);

it("brings no knowledge with memory, and no heavy readers with knowledge", async () => {
  const memory = await filesOf('export { Memory } from "./src/entry/memory.ts"');
  expect(memory).toContain("src/memory/memory.ts");
  expect(memory.filter((path) => path.startsWith("src/knowledge/"))).toEqual([]);
  const knowledge = await filesOf('export { Knowledge } from "./src/entry/knowledge.ts"');
  expect(knowledge).toContain("src/knowledge/query-knowledge.ts");
  expect(knowledge.filter((path) => path.startsWith("src/memory/") || HEAVY.test(path))).toEqual(
    [],
  );
}, 30_000);

it("leaves sums, quotas, alerts and metrics out of a Worker without them", async () => {
  const isOne = (path: string): boolean =>
    /^src\/((entry\/)?(usage|quotas|alerts|metrics)[/.]|cloudflare\/stores\/d1-(usage-sums|quota-counts|alert-store|gauges))/.test(
      path,
    );
  const without = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(without.filter(isOne)).toEqual([]);
  const named = await filesOf('export { quotas } from "./src/entry/quotas.ts"');
  expect(named.filter(isOne)).toContain("src/quotas/tenant-quotas.ts");
}, 30_000);

it("leaves the making of spans and their ids out of a Worker without the exporter (OP8)", async () => {
  const isSpans = (path: string): boolean => path.startsWith("src/telemetry/");
  const without = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(without.filter(isSpans)).toEqual([]);
  const named = await filesOf('export { otlpExporter } from "./src/entry/telemetry.ts"');
  expect(named.filter(isSpans)).toContain("src/telemetry/trace-ids.ts");
}, 30_000);

it("leaves sessions, tokens and pages out of a Worker without a console (CA30)", async () => {
  const isOne = (path: string): boolean =>
    /^src\/(access\/|entry\/(console|tokens)\.ts|cloudflare\/(watched-socket|stores\/d1-(session-store|revocations)))/.test(
      path,
    );
  const without = await filesOf('export * from "./examples/crews-alone.ts"');
  expect(without.filter(isOne)).toEqual([]);
  const named = await filesOf('export { console } from "./src/entry/console.ts"');
  expect(named.filter(isOne)).toContain("src/access/sessions-part.ts");
  const alone = await filesOf(
    'export { createRunToken, verifyRunToken } from "./src/entry/tokens.ts"',
  );
  expect(alone).toEqual(["src/access/run-token.ts"]);
}, 30_000);

/** Of a Worker in one file, as wrangler uploads it. */
async function kibibytesOf(program: string): Promise<number> {
  const { outputFiles = [] } = await build({
    ...FOR_WORKERS,
    stdin: { contents: program, resolveDir: root, loader: "ts" },
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length / 1024;
}

it("makes a Worker of crews alone of at most 391 KiB", async () => {
  const size = await kibibytesOf('export * from "./examples/crews-alone.ts"');
  expect(size).toBeGreaterThan(300);
  expect(size).toBeLessThan(391);
}, 30_000);

it("adds at most 16 KiB to a Worker with a console, including Cloudflare Access (CA30)", async () => {
  const worker = (options: string, more = ""): string =>
    `import { defineApp } from "./src/worker.ts"; ${more} const app = defineApp({ crews: {}, ${options} }); export default app; export const { CrewRun } = app.durableObjects;`;
  const access = 'console: console({ access: { team: "a", audience: "b", scopes: ["read"] } })';
  const bare = await kibibytesOf(worker(""));
  const whole = await kibibytesOf(
    worker(access, 'import { console } from "./src/entry/console.ts";'),
  );
  expect(whole - bare).toBeGreaterThan(5);
  expect(whole - bare).toBeLessThan(16);
}, 60_000);

/** What a browser loads of a program. */
async function loadedBy(
  program: string,
): Promise<{ readonly bytes: number; readonly gzip: number; readonly paths: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    external: ["react"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const paths = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const { contents = new Uint8Array() } = outputFiles[0] ?? {};
  return { bytes: contents.length, gzip: gzipSync(contents, { level: 9 }).length, paths };
}

/** Values that the client may have beside its own: errors, time, usage, and the words of calls. */
const OF_CLIENT =
  /^src\/(client\/|base\/(cut|error|clock|system|usage|method-class|bytes|event-stream-parser)\.ts|wire\/call-words\.ts)/;

it("keeps the client small, and without libraries, schemas and anything of a server (CC12)", async () => {
  const client = await loadedBy('export { createClient } from "./src/client/index.ts"');
  expect(client.paths.filter((path) => path !== "<stdin>" && !OF_CLIENT.test(path))).toEqual([]);
  // The whole of it, also for administration; a page that only starts runs and follows them needs half.
  expect(client.gzip).toBeLessThan(16_950);
  const starting = await loadedBy('export { createRunClient } from "./src/client/index.ts"');
  expect(starting.gzip).toBeLessThan(8_150);
  const live = await loadedBy('export { createRunClient, runStore } from "./src/client/index.ts"');
  // 330 bytes of it bring a page back after an outage: it retries for ever, and at once when it is online or visible.
  expect(live.gzip).toBeLessThan(12_300);
  const hooks = await loadedBy('export * from "./src/client/react/index.ts"');
  expect(hooks.paths.filter((path) => path.includes("node_modules"))).toEqual([]);
  const both = await loadedBy(
    'export { createClient } from "./src/client/index.ts"; export * from "./src/client/react/index.ts"',
  );
  expect(both.gzip - client.gzip).toBeLessThan(3_600);
  const tokens = await loadedBy('export { createRunToken } from "./src/entry/tokens.ts"');
  expect(tokens.gzip).toBeLessThan(1_100);
  const unused = await loadedBy('import { createClient } from "./src/client/index.ts"');
  expect(unused.bytes).toBeLessThan(100);
}, 60_000);
