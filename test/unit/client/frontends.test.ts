// The examples of front ends that need no browser, and what holds for all of them.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { supportReply } from "../../../examples/support-reply.ts";
import { HttpWorld } from "../../support/http-app.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-frontends-`);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Worker = {
  readonly fetch: (
    request: Request,
    env: { readonly CREWS: { fetch(request: Request): Promise<Response> } },
  ) => Promise<Response>;
};

async function exampleWorker(): Promise<Worker> {
  const outfile = `${folder}/worker.mjs`;
  await build({
    entryPoints: [`${root}examples/frontends/worker.ts`],
    alias: { "edgecrew-client": `${root}src/client/index.ts` },
    bundle: true,
    format: "esm",
    outfile,
  });
  return ((await import(outfile)) as { default: Worker }).default;
}

describe("a Worker as a client of another (CC13)", () => {
  it("starts a run once for a mail delivered twice, and returns its status", async () => {
    const worker = await exampleWorker();
    const world = new HttpWorld({ crews: { "support-reply": supportReply } });
    const env = { CREWS: { fetch: async (request: Request) => world.app.request(request) } };
    const ask = (path: string, init?: RequestInit): Promise<Response> =>
      worker.fetch(new Request(`https://mail.test${path}`, init), env);
    const mail = { method: "POST", body: "Where is order 7?", headers: { "x-mail-id": "mail-7" } };
    for (let delivery = 0; delivery < 2; delivery++) {
      const answer = await ask("/mails", mail);
      expect([answer.status, await answer.json()]).toEqual([202, { run: "mail-7" }]);
    }
    await world.clock.advance(5_000);
    const { items } = await world.runs.list({ tenant: "default", limit: 10 });
    expect(items.map(({ id }) => id)).toEqual(["mail-7"]);
    const state = (await (await ask("/mails/mail-7")).json()) as { status: string };
    expect(["completed", "failed"]).toContain(state.status);
    expect((await ask("/mails/none")).status).toBe(404);
  });
});

it("examples of front ends have at most 150 lines, and are listed in docs/client.md", () => {
  const page = readFileSync(`${root}docs/client.md`, "utf8");
  const files = globSync("examples/frontends/**/*.*", { cwd: root });
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const text = readFileSync(root + file, "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(151);
    // A front end installs the client alone, and no SDKs of models.
    expect(text).not.toMatch(/"edgecrew["/]/);
    expect(page).toContain(file.replaceAll("\\", "/").replace("examples/frontends/", ""));
  }
});
