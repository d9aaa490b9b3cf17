// The examples of front ends in Chromium, before the real Worker.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOKEN_KEY } from "../support/access-world.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = `${root}/examples/frontends`;
const chromium = chromiumPath();

const HAIKU = {
  agents: { poet: { role: "Poet", goal: "Write haiku on {topic}", backstory: "You count." } },
  tasks: [
    {
      name: "draft",
      description: "Write a haiku on {topic}",
      expectedOutput: "Three lines",
      agent: "poet",
      humanInput: true,
    },
  ],
};

/** One file of an example, with the client of this repository. `actions` stands in the place of what runs on a server. */
async function bundled(
  entry: string,
  { actions = "", platform = "browser" }: { actions?: string; platform?: "browser" | "node" } = {},
): Promise<string> {
  const onServer: Plugin = {
    name: "server actions",
    setup: (plugin) =>
      plugin.onLoad({ filter: /next\/actions\.ts$/ }, () =>
        actions === "" ? null : { contents: actions },
      ),
  };
  const { outputFiles } = await build({
    entryPoints: [entry],
    plugins: [onServer],
    bundle: true,
    format: "esm",
    platform,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: {
      "edgecrew-client": `${root}/src/client/index.ts`,
      "edgecrew-client/react": `${root}/src/client/react/index.ts`,
    },
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

type Uploaded = {
  readonly sent: readonly number[];
  readonly size: number;
  readonly aborted: string;
  readonly names: readonly string[];
};

describe.runIf(chromium !== undefined)("front ends", () => {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-frontends-`);
  const faults: string[] = [];
  let models: ModelServer;
  let dev: WranglerDev;
  let browser: Browser;

  beforeAll(async () => {
    models = await startModelServer({
      reply: () => ({ text: "Rain on the tin roof", pieceDelayMs: 20 }),
    });
    const vars = {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
      EDGECREW_TOKEN_KEY: TOKEN_KEY,
    };
    migrate({ cwd: root, persistTo });
    dev = await WranglerDev.start({ cwd: root, persistTo, vars });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(HAIKU);
    const stored = await fetch(`${dev.url}/crews/haiku`, { method: "PUT", headers, body });
    if (stored.status !== 201) throw new Error(`the crew was not stored: ${stored.status}`);
    browser = await launchChromium(chromium ?? "");
  });

  afterAll(async () => {
    await browser?.close();
    await dev?.kill();
    await models?.stop();
    rmSync(persistTo, { recursive: true, force: true });
  });

  /** A page of the Worker's own origin. */
  async function open(html: string, scripts: Readonly<Record<string, string>>): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.route(`${dev.url}/example`, (route) =>
      route.fulfill({ contentType: "text/html", body: html }),
    );
    for (const [address, body] of Object.entries(scripts))
      await page.route(address, (route) =>
        route.fulfill({
          contentType: "text/javascript",
          headers: { "access-control-allow-origin": "*" },
          body,
        }),
      );
    await page.goto(`${dev.url}/example`);
    return page;
  }

  it("the plain page starts a run, shows its words, asks, and shows the same run after a reload (CC13)", async () => {
    const client = await bundled(`${root}/src/client/index.ts`);
    const html = readFileSync(`${examples}/plain.html`, "utf8");
    const page = await open(html, { "https://esm.sh/**": client });
    await page.getByLabel("Topic").fill("rain");
    await page.getByRole("button", { name: "Write" }).click();
    const answer = page.getByRole("button", { name: "Answer" });
    await answer.waitFor();
    await page.locator("#text", { hasText: "Rain on the tin roof" }).waitFor();
    await page.reload();
    await answer.waitFor();
    await answer.click();
    await page.getByRole("status").getByText("completed").waitFor();
    await page.locator("#text", { hasText: "Rain on the tin roof" }).waitFor();
    expect(await answer.isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("the app of React runs, answers from the inbox, and chats (CC13)", async () => {
    const app = await bundled(`${examples}/react/app.tsx`);
    const html =
      '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>';
    const page = await open(html, { [`${dev.url}/app.js`]: app });
    const haiku = page.getByRole("region", { name: "Haiku" });
    await haiku.getByLabel("Topic").fill("rain");
    await haiku.getByRole("button", { name: "Write" }).click();
    await haiku.getByText("Rain on the tin roof").first().waitFor();
    const inbox = page.getByRole("region", { name: "Inbox" });
    await inbox.getByRole("heading", { name: "1 open questions" }).waitFor();
    await inbox.getByRole("button", { name: "Approve" }).click();
    await haiku.getByRole("status").getByText("completed").waitFor();
    await inbox.getByRole("heading", { name: "0 open questions" }).waitFor();
    const chat = page.getByRole("region", { name: "Chat" });
    await chat.getByLabel("Message").fill("Hello");
    await chat.getByRole("button", { name: "Send" }).click();
    await chat.getByRole("listitem").filter({ hasText: "assistant Rain" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("the component of Next has a run from a server action, follows it with a token, and answers (CC13)", async () => {
    vi.stubEnv("EDGECREW_URL", dev.url);
    const file = `${persistTo}/actions.mjs`;
    writeFileSync(file, await bundled(`${examples}/next/actions.ts`, { platform: "node" }));
    const actions = (await import(/* @vite-ignore */ file)) as {
      readonly startHaiku: (topic: string) => Promise<unknown>;
      readonly tokenFor: (run: string) => Promise<unknown>;
    };
    vi.unstubAllEnvs();
    const entry = `${persistTo}/page.tsx`;
    symlinkSync(`${root}/node_modules`, `${persistTo}/node_modules`);
    writeFileSync(
      entry,
      `import { createRoot } from "react-dom/client";
       import { Haiku } from "${examples}/next/haiku.tsx";
       createRoot(document.getElementById("root")!).render(<Haiku url={location.origin} />);`,
    );
    const app = await bundled(entry, {
      actions: "export const { startHaiku, tokenFor } = window;",
    });
    const html =
      '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>';
    const page = await open(html, { [`${dev.url}/app.js`]: app });
    await page.exposeFunction("startHaiku", actions.startHaiku);
    await page.exposeFunction("tokenFor", actions.tokenFor);
    const sockets: string[] = [];
    const keys = new Set<string>();
    page.on("websocket", (socket) => void sockets.push(socket.url()));
    page.on("request", (request) => {
      if (request.url().includes("/runs/"))
        keys.add(request.headers()["authorization"]?.slice(0, 11) ?? "none");
    });
    await page.reload();
    await page.getByLabel("Topic").fill("rain");
    await page.getByRole("button", { name: "Write" }).click();
    await page.getByRole("status").getByText("waiting").waitFor();
    await page.locator("pre", { hasText: "Rain on the tin roof" }).waitFor();
    // While it waits its object may sleep: it is heard of over a web socket.
    await expect.poll(() => sockets.length).toBe(1);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("status").getByText("completed").waitFor();
    expect([...keys]).toEqual(["Bearer ect_"]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("an upload reports growing progress, is one file when it is repeated, and ends with its signal (CC11)", async () => {
    const client = await bundled(`${root}/src/client/index.ts`);
    const page = await open("<!doctype html><title>Upload</title>", {
      [`${dev.url}/client.js`]: client,
    });
    let isLost = true;
    await page.route(`${dev.url}/files?*`, async (route) => {
      if (route.request().method() !== "POST" || !isLost) return route.continue();
      isLost = false;
      await route.fetch(); // it arrives, and the answer is lost
      await route.abort("connectionreset");
    });
    // As text: what vitest makes of `import()` is not there in the page.
    const result: Uploaded = await page.evaluate(`(async () => {
      const { createClient } = await import("/client.js");
      const { files } = createClient();
      const bytes = new Uint8Array(400_000).fill(97);
      const sent = [];
      const stored = await files.upload(new Blob([bytes]), {
        name: "letters.txt",
        mediaType: "text/plain",
        onProgress: (progress) => sent.push(progress.sent),
      });
      const leaving = new AbortController();
      const onProgress = () => leaving.abort(new Error("left"));
      const aborted = await files
        .upload(new Blob([bytes]), { name: "other.txt", signal: leaving.signal, onProgress })
        .then(String, String);
      const { items } = await files.list();
      return { sent, size: stored.bytes, aborted, names: items.map(({ name }) => name) };
    })()`);
    expect(isLost).toBe(false);
    expect(result.sent).toEqual(result.sent.toSorted((a, b) => a - b));
    expect([result.sent[0], result.sent.at(-1), result.size]).toEqual([0, 400_000, 400_000]);
    expect(result.aborted).toContain("left");
    expect(result.names.filter((name) => name === "letters.txt")).toHaveLength(1);
    expect(result.names).not.toContain("other.txt");
    await page.context().close();
  });
});
