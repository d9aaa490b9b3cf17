// What holds for every page of the console, with a run, a schedule and a webhook whose every text is hostile.
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { consoleAddresses, routePaths } from "./addresses.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { HOSTILE, RELEASE } from "./samples.ts";
import { walkByTab } from "./tab-walk.ts";

const path = chromiumPath();
/** For a state that a busy machine may be late with. */
const PATIENCE_MS = 90_000;

type Run = { readonly id: string; readonly status: string };

describe.runIf(path !== undefined)("every page of the console", () => {
  let world: ConsoleWorld;
  let models: ModelServer;
  let addresses: readonly string[];

  beforeAll(async () => {
    models = await startModelServer({
      reply: () => ({ text: HOSTILE, promptTokens: 10, completionTokens: 5 }),
    });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    const target = { kind: "crew", name: "hostile" };
    const inputs = { topic: HOSTILE };
    await world.put("/crews/hostile", {
      agents: {
        a: { role: `<b>"Role"</b>`, goal: HOSTILE, backstory: HOSTILE, llm: "openai/gpt-5-mini" },
      },
      tasks: [
        {
          name: "task",
          description: `About {topic}: ${HOSTILE}`,
          expectedOutput: HOSTILE,
          agent: "a",
        },
      ],
    });
    const hostile = await world.json<Run>("/crews/hostile/kickoff", { inputs });
    const other = await world.json<Run>("/crews/release-notes/kickoff", { inputs: RELEASE });
    const batch = { inputs: [inputs], tags: ["side:one"] };
    const left = await world.json<Run>("/crews/hostile/kickoff-for-each", batch);
    const right = await world.json<Run>("/crews/hostile/kickoff-for-each", batch);
    await world.json("/conversations/incident-review/kickoff", { message: HOSTILE });
    await world.json("/schedules", { id: "evening", cron: "0 20 * * *", target, inputs });
    await world.put("/hooks/tickets", {
      scheme: "github",
      secret: "a secret that is long enough",
      target,
      inputs: { topic: "/title" },
      keepBodies: true,
    });
    await world.json("/hooks/tickets/test", { payload: { title: HOSTILE } });
    await world.json("/keys", { tenant: "default", scopes: ["read"], name: `"><img src=x>` });
    await world.json("/memory", { content: HOSTILE, importance: 0.5 });
    await world.json("/knowledge/notes/sources", { text: HOSTILE, name: HOSTILE.slice(0, 60) });
    for (const { id } of [hostile, other, left, right]) await world.ended(id);
    const { items } = await world.json<{ items: readonly { key: string; kind: string }[] }>(
      `/runs/${hostile.id}/journal`,
    );
    addresses = consoleAddresses({
      id: hostile.id,
      other: other.id,
      left: left.id,
      right: right.id,
      step: items.find(({ kind }) => kind === "model")?.key ?? "",
      name: "hostile",
      kind: "crew",
      "/flows/$name name": "announce",
      "/agents/$name name": "clerk",
      "/conversations/$name name": "debate",
      collection: "notes",
      schedule: "evening",
      hook: "tickets",
    });
  }, 240_000);

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("is in the list from the router", () => {
    expect(routePaths()).toEqual(expect.arrayContaining(["/", "/runs/$id", "/open", "/settings"]));
    expect(addresses.length).toBeGreaterThan(25);
  });

  // Each theme and each width once: all four take twice as long, and found nothing more.
  it("passes axe, light and 1280 wide (CO34)", async () => {
    const found: string[] = [];
    const options = { colorScheme: "light", viewport: { width: 1280, height: 900 } } as const;
    await visit(options, async (page, address) => {
      found.push(...(await faultsOfAxe(page, address)));
    });
    expect(found).toEqual([]);
  }, 600_000);

  it("passes axe, dark and 360 wide (CO34)", async () => {
    expect((await onPhone()).found).toEqual([]);
  }, 600_000);

  it("runs no script of others, asks no other origin, keeps to its policy and to its width (CO32, CO33)", async () => {
    const { elsewhere, wide, styled, stolen } = await onPhone();
    expect(stolen).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(wide).toEqual([]);
    expect(styled).toEqual([]);
    expect(world.faults).toEqual([]);
  }, 600_000);

  it("fits when it is zoomed to 200 %, at 320 px, in forced colours and without motion (CO36)", async () => {
    const wide: string[] = [];
    const viewport = { width: 320, height: 640 };
    await visit({ viewport, deviceScaleFactor: 2 }, async (page, address) => {
      const look = async (): Promise<void> => {
        const over = await overWidth(page);
        if (over > 0) wide.push(`${address} at ${page.viewportSize()?.width}: ${over}`);
      };
      await look();
      await resize(page, { width: 640, height: 450 });
      await look();
      await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
      await resize(page, { width: 1280, height: 900 });
      await look();
      await page.emulateMedia({ forcedColors: null, reducedMotion: null });
      await page.setViewportSize(viewport);
    });
    expect(wide).toEqual([]);
  }, 600_000);

  it.each([1280, 390])(
    "is walked through by Tab at %i px: every control once, in sight, with a visible focus, below one heading (CO35)",
    async (width) => {
      const found: string[] = [];
      const viewport = { width, height: 900 };
      await visit({ viewport, reducedMotion: "reduce" }, async (page, address) => {
        const headings = await page.locator("main h1").count();
        if (headings !== 1) found.push(`${address}: ${headings} first headings`);
        const { reached, faults } = await walkByTab(page);
        if (reached < 5) found.push(`${address}: Tab reaches ${reached} controls`);
        found.push(...faults.map((fault) => `${address}: ${fault}`));
      });
      expect(found).toEqual([]);
    },
    600_000,
  );

  it("is an address of its own; other addresses are 404 (CO39)", async () => {
    const html = { headers: { accept: "text/html" }, redirect: "manual" } as const;
    for (const address of addresses) {
      const answer = await fetch(`${world.url}/console${address}`, html);
      expect([address, answer.status]).toEqual([address, 200]);
      expect(await answer.text()).toContain('<div id="root">');
    }
    expect((await fetch(`${world.url}/console`, html)).status).toBe(307);
    expect((await fetch(`${world.url}/console/assets/gone-1234.js`)).status).toBe(404);
    const crews = await fetch(`${world.url}/crews`, html);
    expect(crews.headers.get("content-type")).toContain("json");
  });

  it("reports an unknown address, and an unknown run (CO31, CO39)", async () => {
    const page = await world.open("/no-such-page");
    await page.getByText("There is no page at this address").waitFor();
    await page.goto(`${world.url}/console/runs/never-was`);
    const absent = page.getByText("It never existed, was deleted, or belongs to another tenant.");
    await absent.waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    await page.context().close();
  });

  let phone: ReturnType<typeof seenOnPhone> | undefined;
  /** One visit, of which several things are asked. */
  const onPhone = (): ReturnType<typeof seenOnPhone> => (phone ??= seenOnPhone());

  async function seenOnPhone() {
    const elsewhere: string[] = [];
    const wide: string[] = [];
    const styled: string[] = [];
    const stolen: string[] = [];
    const found: string[] = [];
    const viewport = { width: 360, height: 900 };
    await visit(
      { colorScheme: "dark", viewport },
      async (page, address) => {
        if (await page.evaluate(() => "stolen" in globalThis)) stolen.push(address);
        const over = await overWidth(page);
        if (over > 0) wide.push(`${address} ${over}`);
        const inline = await page.evaluate(
          () => document.querySelectorAll("style, script:not([src])").length,
        );
        if (inline > 0) styled.push(address);
        found.push(...(await faultsOfAxe(page, address)));
      },
      (context) =>
        context.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(world.url) && !/^(data|blob):/.test(url)) elsewhere.push(url);
        }),
    );
    return { elsewhere, wide, styled, stolen, found };
  }

  /** Opens every address in one tab, each when it has settled. */
  async function visit(
    options: BrowserContextOptions,
    look: (page: Page, address: string) => Promise<void>,
    prepare?: (context: BrowserContext) => void,
  ): Promise<void> {
    const context = await world.browser.newContext(options);
    context.setDefaultNavigationTimeout(PATIENCE_MS);
    prepare?.(context);
    const page = await world.open("/", context);
    for (const address of addresses) {
      await page.goto(`${world.url}/console${address}`);
      await settled(page);
      await look(page, address);
    }
    await context.close();
  }
});

/** Its first heading is there, and nothing loads any more. */
async function settled(page: Page): Promise<void> {
  await page.locator("main :is(h1, h2)").first().waitFor({ timeout: PATIENCE_MS });
  await page.waitForTimeout(350);
  await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null, undefined, {
    timeout: PATIENCE_MS,
  });
}

/** What axe finds, with the first place of each. */
async function faultsOfAxe(page: Page, address: string): Promise<readonly string[]> {
  // The other mode opens a second page for each analysis, for the sake of frames of other origins. There are none.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.map(
    ({ id, nodes: [node] }) => `${address} ${id}: ${node?.target.join(" ")} ${node?.html}`,
  );
}

/** Ends when the page is drawn in its new size. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(
    () =>
      new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

const overWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
