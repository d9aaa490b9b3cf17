import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/base/system.ts";
import type { Deployed } from "../../../src/cli/cloud/cloud.ts";
import { WranglerCloud } from "../../../src/cli/cloud/wrangler-cloud.ts";
import { queueNameIn, readOutput } from "../../../src/cli/cloud/wrangler-output.ts";

vi.setConfig({ testTimeout: 60_000 });

/** As 4.155 prints them, and with what a newer one may add: a banner before, fields beside. */
const newer = (document: unknown): string =>
  `\n ⛅️ wrangler 4.999.0\n────────────────\n${JSON.stringify(document, null, 2)}\n`;
const plain = (document: unknown): string => JSON.stringify(document, null, 2);

describe.each([
  ["4.155", plain],
  ["a newer one", newer],
] as const)("the output of wrangler %s", (_, print) => {
  it("WRO1: is read correctly (DP25)", () => {
    expect(readOutput.names(print([{ uuid: "1", name: "demo", num_tables: 3, more: {} }]))).toEqual(
      ["demo"],
    );
    expect(
      readOutput.whoami(
        print({
          loggedIn: true,
          authType: "OAuth Token",
          accounts: [{ id: "a", name: "A", x: 1 }],
          tokenPermissions: ["d1:write"],
        }),
      ),
    ).toEqual({ accounts: [{ id: "a", name: "A" }], permissions: ["d1:write"] });
    expect(readOutput.whoami(print({ loggedIn: false }))).toBeUndefined();
    expect(
      readOutput.indexes(
        print([{ name: "i", description: "", config: { dimensions: 3, metric: "cosine" } }]),
      ),
    ).toEqual([{ name: "i", dimensions: 3, metric: "cosine" }]);
    expect(
      readOutput.metadataIndexes(print([{ propertyName: "owner", indexType: "String" }])),
    ).toEqual(["owner"]);
    expect(
      readOutput.column(
        print([{ results: [{ name: "runs" }, { name: "keys" }], success: true, meta: {} }]),
      ),
    ).toEqual(["runs", "keys"]);
    expect(
      readOutput.bucket(print({ name: "b", object_count: "1,234", bucket_size: "1 GB" })),
    ).toEqual({ objects: "1,234" });
    expect(
      readOutput
        .versions(
          print([
            {
              id: "old",
              metadata: { created_on: "2026-11-01T00:00:00Z" },
              annotations: { "workers/tag": "1" },
            },
            {
              id: "new",
              metadata: { created_on: "2026-11-02T00:00:00Z" },
              annotations: { "workers/triggered_by": "secret" },
            },
          ]),
        )
        .map(({ id, tag, changesSecrets }) => [id, tag, changesSecrets]),
    ).toEqual([
      ["new", undefined, true],
      ["old", "1", false],
    ]);
    expect(
      readOutput.deployments(
        print([
          {
            id: "d",
            created_on: "2026-11-01T00:00:00Z",
            versions: [{ version_id: "v", percentage: 10.5 }],
          },
        ]),
      ),
    ).toEqual([
      { id: "d", createdAt: "2026-11-01T00:00:00Z", shares: [{ version: "v", percentage: 10.5 }] },
    ]);
  });

  it("WRO1: is refused with its fault when it has another form", () => {
    expect(() => readOutput.versions(print([{ id: 1 }]))).toThrow(/0\.id/);
    expect(() => readOutput.names("No databases.")).toThrow(/unknown answer/);
  });
});

describe("the one text without JSON", () => {
  it.each([
    ["Queue Name: demo-tasks\nQueue ID: 1\nNumber of Producers: 0", "demo-tasks"],
    ["\n ⛅️ wrangler 4.999.0\n\n  queue name :  demo-tasks  \nJurisdiction: eu", "demo-tasks"],
    ["No queue", undefined],
  ])("%j (DP25)", (stdout, name) => {
    expect(queueNameIn(stdout)).toBe(name);
  });
});

describe("the running wrangler", () => {
  const signal = new AbortController().signal;
  const cloudIn = (folder: string, variables: Record<string, string | undefined>): WranglerCloud =>
    new WranglerCloud({
      folder,
      variables,
      clock: systemClock,
      signal,
      env: undefined,
    });

  it.each(["3.114.0", "4.154.9", "5.0.0"])(
    "has to be of the known range: not %s",
    async (version) => {
      const folder = mkdtempSync(`${tmpdir()}/edgecrew-range-`);
      mkdirSync(join(folder, "node_modules", "wrangler"), { recursive: true });
      writeFileSync(
        join(folder, "node_modules", "wrangler", "package.json"),
        JSON.stringify({ version }),
      );
      await expect(cloudIn(folder, {}).whoami()).rejects.toMatchObject({
        exitCode: 2,
        fix: expect.stringContaining("npm install --save-dev wrangler@"),
      });
    },
  );

  /** Writes for programs what it finds in its environment. */
  const deployWith = (): Promise<Deployed> => {
    const folder = mkdtempSync(`${tmpdir()}/edgecrew-env-`);
    const script = join(folder, "wrangler.mjs");
    writeFileSync(
      script,
      `import { appendFileSync } from "node:fs";
       const names = Object.keys(process.env).filter((name) => /^(EDGECREW_|CI$|WRANGLER_SEND|OTHER)/.test(name));
       const targets = ["https://a.workers.dev", "b.example.com (custom domain)", "schedule: * * * * *"];
       const line = { type: "deploy", version_id: names.sort().join(), targets };
       appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(line) + "\\n");
       console.log("Deployed https://else.workers.dev");`,
    );
    const variables = { EDGECREW_WRANGLER: script, EDGECREW_KEY: "secret", OTHER: "1" };
    return cloudIn(folder, variables).deploy({});
  };

  it("WRP1: is started without our variables", async () => {
    expect((await deployWith()).versionId).toBe("CI,OTHER,WRANGLER_SEND_METRICS");
  });

  it("WRP2: returns addresses from its output file", async () => {
    expect((await deployWith()).targets).toEqual([
      "https://a.workers.dev",
      "https://b.example.com",
    ]);
  });

  it("WRP3: is retried on request, and three times at most", async () => {
    const folder = mkdtempSync(`${tmpdir()}/edgecrew-busy-`);
    const script = join(folder, "wrangler.mjs");
    writeFileSync(
      script,
      `import { appendFileSync } from "node:fs";
       appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ type: "command-failed", message: "busy", retry_after_ms: 1 }) + "\\n");
       appendFileSync(${JSON.stringify(join(folder, "calls"))}, "x");
       process.exitCode = 1;`,
    );
    await expect(cloudIn(folder, { EDGECREW_WRANGLER: script }).databases()).rejects.toThrow(
      "busy",
    );
    expect(readFileSync(join(folder, "calls"), "utf8")).toBe("xxxx");
  });

  it("is the project's own: the one of this repository reports the login", async () => {
    const { CLOUDFLARE_API_TOKEN: _, ...variables } = process.env;
    const home = mkdtempSync(`${tmpdir()}/edgecrew-home-`);
    const cloud = cloudIn(process.cwd(), { ...variables, HOME: home, XDG_CONFIG_HOME: home });
    expect(await cloud.whoami()).toBeUndefined();
  });
});
