// Projects as a stranger makes them: from packed tarballs, in an empty folder with a blank in its name.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { packedPackage } from "./packed-package.ts";

const START_TIMEOUT_MS = 150_000;

export type Said = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Both packages, packed; `npm create edgecrew` with them. */
export class Scaffold {
  readonly folder: string;
  /** The tarball that projects install. */
  readonly edgecrew: string;
  /** Folders, by their dependencies. */
  readonly #installed = new Map<string, string>();

  constructor() {
    this.folder = join(mkdtempSync(join(tmpdir(), "edgecrew-scaffold-")), "my projects");
    mkdirSync(this.folder);
    this.edgecrew = packedPackage("edgecrew", this.folder);
    const args = ["install", "--prefix", this.folder, "--no-audit", "--no-fund"];
    npm([...args, packedPackage("create-edgecrew", this.folder)], this.folder);
  }

  create(...args: readonly string[]): Said {
    const bin = join(this.folder, "node_modules/.bin/create-edgecrew");
    const said = spawnSync(process.execPath, [bin, ...args, "--edgecrew", this.edgecrew], {
      cwd: this.folder,
      encoding: "utf8",
    });
    return { status: said.status, stdout: said.stdout, stderr: said.stderr };
  }

  /** Installs a project that was made without that. Of those with the same dependencies the first has what the others share. */
  install(project: ScaffoldProject): void {
    const text = readFileSync(join(project.folder, "package.json"), "utf8");
    const { dependencies, devDependencies } = JSON.parse(text) as Record<string, unknown>;
    const key = JSON.stringify([dependencies, devDependencies]);
    const first = this.#installed.get(key);
    if (first === undefined) project.npm("install", "--no-audit", "--no-fund");
    else {
      const [from, to] = [first, project.folder].map((folder) => join(folder, "node_modules"));
      execFileSync("cp", ["-al", from ?? "", to ?? ""]);
    }
    this.#installed.set(key, project.folder);
  }

  project(name: string): ScaffoldProject {
    return new ScaffoldProject(join(this.folder, name));
  }

  async remove(): Promise<void> {
    await rm(join(this.folder, ".."), { recursive: true, force: true });
  }
}

/** A project that was made. */
export class ScaffoldProject {
  readonly folder: string;
  #server: ChildProcess | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  /** Throws where it fails, with what was written. */
  npm(...args: readonly string[]): string {
    return npm(args, this.folder);
  }

  edgecrew(...args: readonly string[]): Said {
    const bin = join(this.folder, "node_modules/.bin/edgecrew");
    const { PATH, HOME } = process.env;
    const said = spawnSync(process.execPath, [bin, ...args], {
      cwd: this.folder,
      encoding: "utf8",
      env: { PATH, HOME: `${this.folder}/none`, npm_config_cache: `${HOME}/.npm`, CI: "1" },
    });
    return { status: said.status, stdout: said.stdout, stderr: said.stderr };
  }

  /** `npm start`. Answers the address, and what was said until it could be used. */
  async start(): Promise<{ readonly url: string; readonly said: string }> {
    const port = await freePort();
    const server = spawn("npm", ["start", "--", "--port", String(port)], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = server;
    let said = "";
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (data: Buffer) => (said += data.toString()));
    const until = Date.now() + START_TIMEOUT_MS;
    while (!said.includes("Ctrl-C stops it")) {
      if (Date.now() > until || server.exitCode !== null) {
        server.kill("SIGTERM");
        throw new Error(`npm start did not come up:\n${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { url: `http://localhost:${port}`, said };
  }

  /** Ends the server as Ctrl-C does. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
