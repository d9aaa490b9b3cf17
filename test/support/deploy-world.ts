// A project that is deployed: its folder, a fake account, and a real Worker behind the address that the account gives it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import type { JsonObject } from "../../src/base/json.ts";
import { HttpWorld } from "./http-app.ts";
import { Terminal, type CliOptions, type CliResult } from "./cli-world.ts";
import { nodeProcesses } from "../../src/cli/node-processes.ts";
import type { Processes } from "../../src/cli/processes.ts";
import { addFiles } from "./project-folder.ts";
import { EMPTY, type FakeAccount, type FakeVersion, type FakeWorker } from "./fake-wrangler.ts";

export type Call = {
  readonly argv: readonly string[];
  readonly env: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly modes: readonly string[];
};

let script: string | undefined;

/** The fake as one file, so that it starts fast. */
export function fakeWrangler(): string {
  if (script !== undefined) return script;
  const outfile = join(mkdtempSync(`${tmpdir()}/edgecrew-fake-`), "fake-wrangler.mjs");
  buildSync({
    entryPoints: [join(import.meta.dirname, "fake-wrangler.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"], // the other build of jsonc-parser cannot be bundled
    logLevel: "error",
  });
  return (script = outfile);
}

const QUEUES = {
  producers: [{ binding: "TASKS", queue: "demo-tasks" }],
  consumers: [
    { queue: "demo-tasks", dead_letter_queue: "demo-tasks-dlq" },
    { queue: "demo-tasks-dlq" },
  ],
};

const MIGRATIONS = readdirSync(join(import.meta.dirname, "../../migrations"));

/** As the platform chooses it: by the address of a preview, by the header, else the old one of two that share requests. */
function versionAsked(
  worker: FakeWorker,
  url: URL,
  { name, headers }: { readonly name: string; readonly headers: Headers },
): string {
  if (url.origin !== worker.address) return worker.versions.at(-1)?.id ?? "";
  const deployed = worker.deployments.at(-1)?.versions.map(([id]) => id) ?? [];
  const wanted = headers.get("cloudflare-workers-version-overrides");
  return deployed.find((id) => wanted === `${name}="${id}"`) ?? deployed.at(-1) ?? "";
}

/** What a project needs, and no more. */
export const PRODUCTION: JsonObject = {
  vars: { EDGECREW_AUTH: "keys" },
  version_metadata: { binding: "VERSION" },
  durable_objects: { bindings: [{ name: "CREW_RUN", class_name: "CrewRun" }] },
  d1_databases: [{ binding: "DB", database_name: "demo", migrations_dir: "migrations" }],
  queues: QUEUES,
};

/** With everything that can be bound. */
export const WHOLE: JsonObject = {
  ...PRODUCTION,
  vectorize: [{ binding: "VECTORIZE", index_name: "demo" }],
  r2_buckets: [{ binding: "FILES", bucket_name: "demo-files" }],
};

export type DeployWorldOptions = {
  readonly account?: Partial<FakeAccount>;
  readonly production?: JsonObject;
  readonly config?: JsonObject;
  /** Answers in place of the Worker; undefined asks it. */
  readonly worker?: (path: string, init: RequestInit, version: string) => Response | undefined;
  readonly variables?: Readonly<Record<string, string>>;
  /** What the code answers that is started on this machine; undefined is code that does not start. */
  readonly local?: ((path: string, body: unknown) => unknown) | undefined;
};

export class DeployWorld {
  readonly folder = mkdtempSync(`${tmpdir()}/edgecrew-deploy-`);
  readonly accountFile = join(mkdtempSync(`${tmpdir()}/edgecrew-account-`), "account.json");
  readonly #options: DeployWorldOptions;
  readonly #terminal: Terminal;
  #workers = new Map<string, HttpWorld>();
  /** The version that answers. */
  #answering: FakeVersion | undefined;

  constructor(options: DeployWorldOptions = {}) {
    this.#options = options;
    this.writeConfig(options.production ?? PRODUCTION, options.config);
    mkdirSync(join(this.folder, "migrations"));
    for (const name of ["0001_first.sql", "0002_second.sql"])
      writeFileSync(join(this.folder, "migrations", name), "SELECT 1;\n");
    this.change(() => ({ ...structuredClone(EMPTY), ...options.account }));
    const manifest = { name: "wrangler", bin: { wrangler: "wrangler.js" } };
    addFiles(join(this.folder, "node_modules/wrangler"), {
      "package.json": JSON.stringify(manifest),
      "wrangler.js": "",
    });
    this.#terminal = new Terminal({ cwd: this.folder, processes: this.#processes });
  }

  /** The package as the project has it installed. */
  install(version: string, objectSchema?: JsonObject): void {
    const folder = join(this.folder, "node_modules", "edgecrew");
    mkdirSync(folder, { recursive: true });
    const edgecrew = objectSchema === undefined ? {} : { edgecrew: { objectSchema } };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version, ...edgecrew }));
  }

  /** What was started on this machine: its words, and whether it has ended. */
  readonly started: { readonly words: string; ended: boolean }[] = [];

  readonly #processes: Processes = {
    id: 1,
    parentId: () => 1,
    isFree: () => Promise.resolve(true),
    startProgram: nodeProcesses.startProgram,
    startNode: (args, options) => {
      if (args[0]?.endsWith("wrangler/wrangler.js") !== true)
        return nodeProcesses.startNode(args, options);
      const program = { words: args.slice(1).join(" "), ended: false };
      this.started.push(program);
      let end: ((code: number) => void) | undefined;
      const exited = new Promise<number>((resolve) => (end = resolve));
      const stop = (code: number): void => {
        program.ended = true;
        end?.(code);
      };
      if (args[1] === "d1") stop(0);
      else if (this.#options.local === undefined) {
        options.onText("✘ [ERROR] no such module\n");
        stop(1);
      }
      return { exited, signal: () => stop(0) };
    },
  };

  writeConfig(production: JsonObject, more: JsonObject = {}): void {
    const config = {
      name: "demo",
      main: "src/worker.ts",
      compatibility_date: "2026-08-15",
      vars: { EDGECREW_AUTH: "open" },
      migrations: [{ tag: "v1", new_sqlite_classes: ["CrewRun"] }],
      triggers: { crons: ["* * * * *"] },
      env: { production },
      ...more,
    };
    writeFileSync(join(this.folder, "wrangler.jsonc"), JSON.stringify(config));
  }

  get account(): FakeAccount {
    return JSON.parse(readFileSync(this.accountFile, "utf8")) as FakeAccount;
  }

  /** The deployed Worker, as the account has it. */
  get deployed(): FakeWorker | undefined {
    return this.account.workers["demo-production"];
  }

  change(work: (account: FakeAccount) => FakeAccount | void): void {
    const before = existsSync(this.accountFile) ? this.account : structuredClone(EMPTY);
    const after = work(before) ?? before;
    writeFileSync(this.accountFile, JSON.stringify(after));
  }

  /** Calls since the world began. */
  get transcript(): readonly Call[] {
    const path = `${this.accountFile}.transcript`;
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Call);
  }

  /** The words of calls, without what they say of the environment. */
  get calls(): readonly string[] {
    return this.transcript.map(({ argv }) =>
      argv
        .join(" ")
        .replace(" --env production", "")
        .replaceAll(/\S*\/sending\/\S+/g, "FILE")
        .replace(/--outdir \S+/, "--outdir FOLDER"),
    );
  }

  get profiles(): string {
    const path = join(this.folder, "edgecrew", "config.json");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** In the project's folder. */
  get files(): readonly string[] {
    return readdirSync(this.folder);
  }

  get profileFile(): string {
    return join(this.folder, "edgecrew", "config.json");
  }

  /** What the command line finds in its surroundings. */
  get variables(): Readonly<Record<string, string>> {
    return {
      EDGECREW_WRANGLER: fakeWrangler(),
      FAKE_ACCOUNT: this.accountFile,
      XDG_CONFIG_HOME: this.folder,
      ...this.#options.variables,
    };
  }

  run(line: string, more: CliOptions = {}): Promise<CliResult> {
    const { variables } = this;
    const fetch = ((url: string, init?: RequestInit) =>
      this.#ask(url, init)) as typeof globalThis.fetch;
    return this.#terminal.run(line, { variables, fetch, ...more });
  }

  /** What the deployed Worker answers, as JSON. */
  async ask(path: string, init: RequestInit = {}): Promise<unknown> {
    return (await this.#ask(`${this.deployed?.address}${path}`, init)).json();
  }

  async #ask(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    if (url.hostname === "127.0.0.1") return this.#askLocal(url.pathname, init);
    const [name, worker] =
      Object.entries(this.account.workers).find(
        ([own, { address: at }]) => at === url.origin || url.host.includes(`-${own}.example.`),
      ) ?? [];
    if (name === undefined || worker === undefined) throw new Error(`nothing is at ${url.origin}`);
    const version = versionAsked(worker, url, { name, headers: new Headers(init.headers) });
    this.#answering = worker.versions.find(({ id }) => id === version);
    const instead = this.#options.worker?.(url.pathname, init, version);
    if (instead !== undefined) return instead;
    const http = this.#httpOf(worker);
    const timer = setInterval(() => void http.clock.settle(), 1);
    try {
      return await http.app.request(address, init);
    } finally {
      clearInterval(timer);
    }
  }

  #askLocal(path: string, { body }: RequestInit): Response {
    if (this.started.at(-1)?.ended !== false) throw new Error("nothing is on this machine");
    if (path === "/healthz") return new Response();
    return Response.json(
      this.#options.local?.(path, body === undefined ? undefined : JSON.parse(body as string)),
    );
  }

  /** Of the secrets that the account has: with another admin key it is another Worker. */
  #httpOf({ secrets }: FakeWorker): HttpWorld {
    const adminKey = secrets["EDGECREW_ADMIN_KEY"] ?? "";
    const found = this.#workers.get(adminKey);
    if (found !== undefined) return found;
    const present = (): FakeVersion | undefined => this.#answering;
    const http = new HttpWorld({
      auth: { mode: "keys", adminKey },
      variables: { EDGECREW_SECRETS_KEY: "set", OPENAI_API_KEY: "set" },
      facts: {
        get code() {
          const { id = "", tag } = present() ?? {};
          return { id, ...(tag === undefined ? undefined : { tag }) };
        },
        objectSchema: { reads: [1, 2, 3], writes: 3 },
        limits: {},
        hasModels: false,
        migrations: async () => MIGRATIONS,
        sweptAtMs: async () => Date.now(),
      },
    });
    this.#workers.set(adminKey, http);
    return http;
  }
}
