// Which Worker is meant, and what is kept of Workers.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { textOf } from "../../support/http-app.ts";
import { addressOf, Terminal, WORKER, type CliOptions } from "../../support/cli-world.ts";

const SCREEN = { columns: 100, rows: 30 };
const KEY = "eck_marked-key-0123456789";
const NONE = { variables: {} };

function keyed(more: CliOptions = {}): Terminal {
  return new Terminal({ auth: { mode: "keys", adminKey: KEY }, ...NONE, ...more });
}

const configOf = (
  world: Terminal,
): { current?: string; profiles: Record<string, { url: string; key?: string }> } =>
  JSON.parse(readFileSync(`${world.folder}/edgecrew/config.json`, "utf8"));

describe("login", () => {
  it("saves a Worker and its key, which is shown nowhere (CL7)", async () => {
    const world = keyed();
    const { code, out, err } = await world.run(
      `login --url ${WORKER} --key ${KEY} --name prod --verbose`,
    );
    expect([code, out]).toEqual([0, `prod\t${WORKER}\n`]);
    expect(configOf(world)).toEqual({
      current: "prod",
      profiles: { prod: { url: WORKER, key: KEY } },
    });
    expect(statSync(`${world.folder}/edgecrew/config.json`).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(KEY);
    expect((await world.run("runs ls --json")).code).toBe(0);
    for (const line of [
      "config ls",
      "config ls --json",
      "config get",
      "config get key",
      "config get --json",
    ]) {
      const shown = await world.run(line);
      expect(shown.code).toBe(0);
      expect(shown.out + shown.err).not.toContain(KEY);
    }
  });

  it("asks for missing fields, the key without showing it", async () => {
    const world = keyed({ terminal: SCREEN });
    const { code, asked } = await world.run("login", {
      answers: ["worker.test", "prod", KEY],
      variables: {},
    });
    // An address without a scheme is https.
    expect([code, asked]).toEqual([0, ["Its address", "Name of the profile", "Its key"]]);
    expect(configOf(world).profiles).toEqual({ prod: { url: "https://worker.test", key: KEY } });
  });

  it("accepts a key for starting runs alone, and lists missing settings for a key with read access", async () => {
    const world = keyed({ variables: {} });
    const json = { tenant: "default", scopes: ["run"] };
    const made = await world.http.ask("/keys", { json, key: KEY });
    const runs = await world.run(
      `login --url ${WORKER} --key ${textOf(made.json["key"])} --name r`,
    );
    expect([runs.code, runs.err]).toEqual([0, expect.not.stringContaining("no_secrets_key")]);
    const reads = await world.run(`login --url ${WORKER} --key ${KEY} --name a`);
    expect([reads.code, reads.err]).toEqual([
      0,
      expect.stringMatching(/EDGECREW_SECRETS_KEY is not set.*\(no_secrets_key\)/),
    ]);
  });

  it("refuses an address of another server, for any answer", async () => {
    for (const answer of [{ version: "1" }, ["x"], "hello"]) {
      const fetch = (async () => Response.json(answer)) as typeof globalThis.fetch;
      const { code, err } = await keyed({ fetch }).run(`login --url ${WORKER} --key k --name x`);
      expect([code, err]).toEqual([2, expect.stringContaining("is no Worker of edgecrew")]);
    }
  });

  it("saves only working profiles (CL5)", async () => {
    const world = keyed();
    const wrong = await world.run(`login --url ${WORKER} --key eck_another-key --name prod`);
    expect([wrong.code, wrong.err]).toEqual([
      4,
      expect.stringContaining("the key is not known to worker.test"),
    ]);
    const off = await world.run(`login --url ${WORKER} --name prod`);
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("--key, or EDGECREW_KEY")]);
    const down = await world.run(`login --url ${WORKER} --key ${KEY} --name prod`, {
      fetch: () =>
        Promise.reject(new Error("fetch failed", { cause: new Error("self-signed certificate") })),
    });
    expect([down.code, down.err]).toEqual([
      4,
      expect.stringMatching(/self-signed certificate[^]*NODE_EXTRA_CA_CERTS/),
    ]);
    const other = await world.run(`login --url ${WORKER} --key ${KEY}`, {
      fetch: () => Promise.resolve(new Response("<html>")),
    });
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("no Worker of edgecrew")]);
    expect(existsSync(`${world.folder}/edgecrew/config.json`)).toBe(false);
  });

  it.each([
    ["login", /login needs --url/],
    ["login --url ftp://x", /http or https, got "ftp:\/\/x"/],
    [`login --url ${WORKER} --name ../x`, /--name: expected letters/],
  ])("%j is wrong use (CL2)", async (line, message) => {
    const { code, out, err } = await keyed().run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("needs no key when the Worker has open access", async () => {
    const world = new Terminal(NONE);
    expect((await world.run(`login --url ${WORKER}`)).out).toBe(`worker\t${WORKER}\n`);
    expect(configOf(world).profiles).toEqual({ worker: { url: WORKER } });
  });

  it("asks before a profile becomes another Worker's (CL21)", async () => {
    const world = new Terminal(NONE);
    await world.run(`login --url ${WORKER} --name prod`);
    const { code, err } = await world.run("login --url http://other.test --name prod");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("overwrite 1 profile, prod (http://worker.test)"),
    ]);
  });
});

describe("profiles", () => {
  async function withTwo(): Promise<Terminal> {
    const world = keyed();
    await world.run(`login --url ${WORKER} --key ${KEY} --name one`);
    await world.run(`login --url http://two.test --key ${KEY} --name two`);
    return world;
  }

  it("are listed, used, changed, removed and forgotten", async () => {
    const world = await withTwo();
    expect((await world.run("config ls")).out).toMatch(
      /one\tkept\t\thttp:\/\/worker.test\n\* two\tkept/,
    );
    expect((await world.run("config use one")).out).toBe("one\n");
    expect((await world.run("config get url")).out).toBe(`${WORKER}\n`);
    expect((await world.run("config set tenant acme")).code).toBe(0);
    expect((await world.run("config get tenant --json")).out).toBe('"acme"\n');
    expect((await world.run("config path")).out).toBe(`${world.folder}/edgecrew/config.json\n`);
    expect((await world.run("config rm two")).err).toContain(
      "forget 1 profile, two (http://two.test)",
    );
    expect((await world.run("config rm two --yes")).code).toBe(0);
    expect((await world.run("logout")).out).toBe("one\n");
    expect(configOf(world)).toEqual({ profiles: {} });
    expect((await world.run("logout")).code).toBe(2);
  });

  it("are all forgotten only after a yes (CL21)", async () => {
    const world = await withTwo();
    const off = await world.run("logout --all");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("forget 2 profiles")]);
    expect((await world.run("logout --all --yes")).out).toBe("one\ntwo\n");
    expect(configOf(world)).toEqual({ profiles: {} });
  });

  it("send no key to another host, and accept none from a command line (CL7)", async () => {
    const world = await withTwo();
    expect((await world.run(`config set key ${KEY}`)).err).toContain("can be read by others");
    expect((await world.run("config set key -", { input: "eck_new-key-123\n" })).code).toBe(0);
    expect(configOf(world).profiles["two"]?.key).toBe("eck_new-key-123");
    await world.run("config set url http://three.test");
    expect(configOf(world).profiles["two"]).toEqual({ url: "http://three.test" });
  });

  it.each([
    ["config use nope", /there is no profile nope; there are: one, two/],
    ["config rm nope --yes", /there is no profile nope/],
    ["config get nope", /expected url, tenant or key/],
    ["config set nope x", /expected url, tenant or key/],
    ["config get --profile nope", /there is no profile nope/],
    ["config set url ftp://x", /http or https/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, err } = await (await withTwo()).run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("the Worker of a command", () => {
  /** A command line that says which address was asked, and with which key. */
  async function asked(made: Terminal, line: string, variables = {}): Promise<unknown> {
    const seen: string[] = [];
    const fetch = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { origin, pathname } = new URL(addressOf(url));
      const key = new Headers(init.headers).get("authorization")?.slice("Bearer ".length);
      if (pathname === "/healthz") {
        if (origin.includes("dead")) return Promise.reject(new TypeError("fetch failed"));
        if (origin.includes("slow")) return Promise.reject(new DOMException("", "TimeoutError"));
        return Promise.resolve(
          new Response("{}", { status: origin.includes("broken") ? 500 : 200 }),
        );
      }
      seen.push([origin, key ?? "none"].join(" "));
      return Promise.resolve(Response.json({ items: [] }));
    };
    const { code, err } = await made.run(line, { variables, fetch: fetch });
    return code === 0 ? seen[0] : [code, err];
  }

  function world(): Terminal {
    const made = new Terminal(NONE);
    mkdirSync(`${made.folder}/edgecrew`);
    const profiles = {
      now: { url: "http://now.test", key: "k-now" },
      other: { url: "http://other.test", key: "k-other" },
    };
    writeFileSync(
      `${made.folder}/edgecrew/config.json`,
      JSON.stringify({ current: "now", profiles }),
      { mode: 0o600 },
    );
    writeFileSync(`${made.folder}/wrangler.toml`, 'name = "x"\n');
    mkdirSync(`${made.folder}/.edgecrew`);
    return made;
  }
  const dev = (made: Terminal, url: string): void =>
    writeFileSync(
      `${made.folder}/.edgecrew/dev.json`,
      JSON.stringify({ url, pid: 1, started: "now" }),
    );

  it("WKR1: is named in an order in which each source beats the next (CL6)", async () => {
    const made = world();
    const VARIABLES = { EDGECREW_URL: "http://env.test", EDGECREW_KEY: "k-env" };
    expect(await asked(made, "runs ls")).toBe("http://now.test k-now");
    dev(made, "http://dev.test");
    expect(await asked(made, "runs ls")).toBe("http://dev.test none");
    expect(await asked(made, "runs ls", { EDGECREW_PROFILE: "now" })).toBe("http://now.test k-now");
    expect(await asked(made, "runs ls --profile other", { EDGECREW_PROFILE: "now" })).toBe(
      "http://other.test k-other",
    );
    expect(await asked(made, "runs ls --profile other", VARIABLES)).toBe("http://env.test k-env");
    expect(await asked(made, "runs ls --url http://flag.test", VARIABLES)).toBe(
      "http://flag.test k-env",
    );
    expect(await asked(made, "runs ls --url localhost:8787 --key k-flag", VARIABLES)).toBe(
      "http://localhost:8787 k-flag",
    );
  });

  it("WKR2: gets no key of another one's profile (CL6, CL7)", async () => {
    expect(await asked(world(), "runs ls --url http://flag.test")).toBe("http://flag.test none");
  });

  it("is not a dead dev server, whose file is removed (CL6)", async () => {
    const made = world();
    dev(made, "http://dead.test");
    expect(await asked(made, "runs ls")).toBe("http://now.test k-now");
    expect(existsSync(`${made.folder}/.edgecrew/dev.json`)).toBe(false);
  });

  it("is a slow dev server, or one with failing code", async () => {
    const made = world();
    for (const url of ["http://slow.test", "http://broken.test"]) {
      dev(made, url);
      expect(await asked(made, "runs ls")).toBe(`${url} none`);
      expect(existsSync(`${made.folder}/.edgecrew/dev.json`)).toBe(true);
    }
  });

  it("PRF1: is not read from a file with access for others (CL6)", async () => {
    const made = world();
    const path = `${made.folder}/edgecrew/config.json`;
    chmodSync(path, 0o644);
    expect(await asked(made, "runs ls")).toEqual([2, expect.stringContaining(`chmod 600 ${path}`)]);
    expect(await asked(made, "runs ls --url http://flag.test")).toBe("http://flag.test none");
    writeFileSync(path, "[1");
    chmodSync(path, 0o600);
    expect(await asked(made, "runs ls")).toEqual([
      2,
      expect.stringContaining("no configuration of edgecrew"),
    ]);
  });

  it("is named with its profile after a refused key or a failed request (CL5)", async () => {
    const made = keyed();
    await made.run(`login --url ${WORKER} --key ${KEY} --name prod`);
    await made.run("config set key -", { input: "eck_another-key" });
    const wrong = await made.run("runs ls");
    expect([wrong.code, wrong.err]).toEqual([
      4,
      expect.stringContaining(`(${WORKER}, profile prod)`),
    ]);
    const untrusted = await made.run("runs ls", {
      fetch: () =>
        Promise.reject(new Error("fetch failed", { cause: new Error("self-signed certificate") })),
    });
    expect([untrusted.code, untrusted.err]).toEqual([
      4,
      expect.stringMatching(/self-signed certificate\n {2}NODE_EXTRA_CA_CERTS/),
    ]);
  });

  it("is missing without a source (CL5)", async () => {
    const made = new Terminal(NONE);
    expect(await asked(made, "runs ls")).toEqual([
      4,
      expect.stringMatching(/--url <address>, EDGECREW_URL, or edgecrew login/),
    ]);
    expect(await asked(world(), "runs ls --profile nope")).toEqual([
      2,
      expect.stringContaining("there are: now, other"),
    ]);
    expect(await asked(world(), "runs ls --url ftp://x")).toEqual([
      2,
      expect.stringContaining("http or https"),
    ]);
  });
});
