// The pages of docs/ whose commands make a project: run as a reader would, one after another, with the packages of this repository.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type PageBlock =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: "run" | "server"; readonly commands: string; readonly expected: string };

const BLOCK = /^```(\S+)(?: ([^\n]*))?\n([^]*?)^```$/gm;

/** The blocks of a page that make something, in their order; the `text` block after commands is what they print. */
export function projectBlocksOf(page: string): readonly PageBlock[] {
  const all = Array.from(
    readFileSync(page, "utf8").matchAll(BLOCK),
    ([, language = "", info = "", text = ""]) => ({ language, info, text }),
  );
  return all.flatMap(({ language, info, text }, at): PageBlock[] => {
    const file = /(?:^| )file=(\S+)/.exec(info)?.[1];
    if (file !== undefined) return [{ kind: "file", path: file, text }];
    if (language !== "sh" || !/^run\b/.test(info)) return [];
    const next = all[at + 1];
    const expected = next?.language === "text" ? next.text : "";
    return [{ kind: info === "run server" ? "server" : "run", commands: text, expected }];
  });
}

/** Where a reader saves a file of a page: `examples/start/<page>/<path>` is `<path>` of the project. */
export function pathInProject(file: string): string {
  return file.replace(/^examples\/start\/[^/]+\//, "");
}

/** Whether a text is what a page shows: `…` stands for any text, and blanks count alike. */
export function isAsShown(printed: string, shown: string): boolean {
  const parts = shown.split("…").map((part) => plain(part).trim());
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^]*");
  return new RegExp(`^[^]{0,0}${pattern}$`).test(plain(printed).trim());
}

function plain(text: string): string {
  return text.replaceAll(/[ \t]+/g, " ").replaceAll(/ *\n */g, "\n");
}

export type DocProjectOptions = {
  readonly folder: string;
  /** The packed packages. */
  readonly edgecrew: string;
  readonly createBin: string;
  readonly port: number;
};

/** A reader's two terminals. */
export class DocProject {
  readonly #options: DocProjectOptions;
  #cwd: string;
  #server: ChildProcess | undefined;
  #serverSays = "";

  constructor(options: DocProjectOptions) {
    this.#options = options;
    this.#cwd = options.folder;
  }

  save(file: string, text: string): void {
    const path = join(this.#cwd, pathInProject(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /**
   * Runs commands as they stand; each has to end with the code that its line names (`# exit 3`), otherwise 0. A reader is slower
   * than a script: what a Worker that builds does not know yet is tried again.
   */
  async run(commands: string): Promise<{ readonly printed: string; readonly faults: string }> {
    const lines = commands.trimEnd().split("\n");
    let printed = "";
    for (const line of lines) {
      const tried = /^npm (?:create|install)/.test(line) ? 0 : 15;
      const expected = Number(/# exit (\d+)/.exec(line)?.[1] ?? 0);
      let last = this.#shell(line);
      for (let tries = 0; last.status !== expected && tries < tried; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        last = this.#shell(line);
      }
      printed += last.stdout;
      if (last.status !== expected)
        return { printed, faults: `${line}\nended with ${last.status}: ${last.stderr}` };
    }
    return { printed, faults: "" };
  }

  /** Starts the server, or starts it again; answers what it says until it has said all that the page shows. */
  async serve(commands: string, shown: string): Promise<string> {
    await this.stop();
    const { port } = this.#options;
    const command = commands.replace(/^npm start(?: --)?/m, `npm start -- --port ${port}`);
    this.#serverSays = "";
    this.#server = spawn("bash", ["-c", `exec ${command}`], {
      cwd: this.#cwd,
      env: this.#env(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.#server.stdout, this.#server.stderr])
      stream?.on("data", (data: Buffer) => (this.#serverSays += data.toString()));
    const until = Date.now() + 90_000;
    const ready = () =>
      this.#serverSays.includes("Edgecrew answers") && isAsShown(this.#says(), shown || "…");
    while (!ready() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200));
    return this.#says();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server?.pid === undefined || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    process.kill(-server.pid, "SIGTERM");
    await ended;
    const until = Date.now() + 20_000;
    const answers = () =>
      fetch(`http://127.0.0.1:${this.#options.port}/healthz`).then(
        () => true,
        () => false,
      );
    while ((await answers()) && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 200));
  }

  #says(): string {
    return this.#serverSays.replaceAll(`localhost:${this.#options.port}`, "localhost:8787");
  }

  #shell(line: string): { status: number | null; stdout: string; stderr: string } {
    const { folder, createBin, edgecrew, port } = this.#options;
    const kept = join(folder, ".cwd");
    // The two names that a registry would resolve: the package that makes projects, and the one that they need.
    const script = `npm() {
  if [ "$1 $2" = "create edgecrew@latest" ]; then
    shift 2; name=$1; shift; [ "$1" = "--" ] && shift
    "${process.execPath}" "${createBin}" "$name" --edgecrew "${edgecrew}" "$@"
  else command npm "$@"; fi
}
${line.replaceAll("localhost:8787", `localhost:${port}`)}
status=$?; pwd > "${kept}"; exit $status`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: this.#cwd,
      env: this.#env(),
      encoding: "utf8",
      timeout: 240_000,
    });
    this.#cwd = readFileSync(kept, "utf8").trim();
    return { status, stdout, stderr };
  }

  /** A reader's environment: no Worker, model or test of ours is set. */
  #env(): NodeJS.ProcessEnv {
    const ours =
      /^(?:EDGECREW_|VITEST|NODE_ENV$|INIT_CWD$|npm_(?:lifecycle|package)_)|_API_KEY$|^MODEL/;
    const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
    return {
      ...Object.fromEntries(kept),
      XDG_CONFIG_HOME: join(this.#options.folder, ".config"),
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    };
  }
}
