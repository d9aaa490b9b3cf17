// A Postgres server of the machine, where one is installed: a new cluster in a folder of its own.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";

export type PostgresServer = {
  /** Of the superuser of the database `shop`. */
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
};

/** Where the programs of the newest version are; undefined where there are none. */
export const POSTGRES_PROGRAMS: string | undefined = programs();

function programs(): string | undefined {
  try {
    const [newest] = readdirSync("/usr/lib/postgresql").toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? undefined : `/usr/lib/postgresql/${newest}/bin`;
  } catch {
    return undefined;
  }
}

/** Starts a server on a free port of this machine. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
  const data = mkdtempSync(`${tmpdir()}/edgecrew-postgres-`);
  const owner = ownerOfServers();
  if (owner !== undefined) chownSync(data, owner.uid, owner.gid);
  const port = await freePort();
  const as = { ...owner, stdio: "ignore" as const };
  execFileSync(
    `${folder}/initdb`,
    ["-D", data, "-U", "boss", "--auth=trust", "--no-sync", "-E", "UTF8"],
    as,
  );
  const server = spawn(
    `${folder}/postgres`,
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", data, "-F"],
    as,
  );
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      execFileSync(
        `${folder}/createdb`,
        ["-h", "127.0.0.1", "-p", String(port), "-U", "boss", "shop"],
        { stdio: "ignore" },
      );
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    address: `postgres://boss:s3cret-pass@127.0.0.1:${port}/shop`,
    port,
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGQUIT");
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Servers of Postgres do not run as root. */
function ownerOfServers(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
