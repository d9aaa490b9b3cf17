// Who gets into the console, and what is offered to them, before the real Worker in Chromium.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { consoleAddresses } from "./addresses.ts";
import { RELEASE } from "./samples.ts";

/** How buttons begin that change something. Compare, export and recall only read. */
const ACTIONS =
  /^(?:start|run\b|rerun|cancel\b|delete|pause|go on|fork|edit|save|add|new\b|make|end\b|forget|move|send|approve|reject|restore|train|test|change|store|choose files)/i;

const ADMIN_KEY = "the-admin-key-of-these-tests-32-chars";
const path = chromiumPath();
type Made = { readonly id: string };
type Key = { readonly key: string };

describe.runIf(path !== undefined)("getting into the console", () => {
  let world: ConsoleWorld;
  let runId: string;

  beforeAll(async () => {
    world = await ConsoleWorld.start(path ?? "", {
      EDGECREW_AUTH: "keys",
      EDGECREW_ADMIN_KEY: ADMIN_KEY,
    });
    const kickoff = { inputs: RELEASE };
    ({ id: runId } = await world.json<Made>("/crews/release-notes/kickoff", kickoff, ADMIN_KEY));
  });

  afterAll(() => world?.stop());

  it("explains a refused key, returns to the requested page, stays in over a reload, and shows no data after the logout (CO2)", async () => {
    const page = await world.open(`/runs/${runId}?tab=usage`);
    await signIn(page, "a-key-that-nobody-made");
    await page.getByRole("alert").getByText("API key").waitFor();
    await signIn(page, ADMIN_KEY);
    const heading = page.getByRole("heading", { name: "release-notes" });
    await heading.waitFor();
    expect(page.url()).toContain(`/console/runs/${runId}?tab=usage`);
    await page.reload();
    await heading.waitFor();
    await page.getByRole("link", { name: "Runs", exact: true }).first().click();
    await page.waitForURL(/\/runs$/);
    await page.getByRole("button", { name: "default" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    const login = page.getByRole("heading", { name: "Sign in to Edgecrew" });
    await login.waitFor();
    await page.goBack();
    await login.waitFor();
    expect(await heading.count()).toBe(0);
    await page.context().close();
  });

  it("offers a reader only permitted actions, and names the scope in a direct refusal (CO3)", async () => {
    const { key } = await world.json<Key>(
      "/keys",
      { tenant: "default", scopes: ["read"] },
      ADMIN_KEY,
    );
    const page = await world.open(`/runs/${runId}`);
    await signIn(page, key);
    await page.getByRole("treegrid").waitFor();
    for (const name of ["Cancel", "Rerun", "Delete", "Pause"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    await page.getByRole("treegrid").locator("[data-key]").last().click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("State").waitFor();
    expect(await inspector.getByText("Fork from here").count()).toBe(0);
    const refused = await page.evaluate(async (id) => {
      const answer = await fetch(`/runs/${id}/cancel`, { method: "POST" });
      return `${answer.status} ${await answer.text()}`;
    }, runId);
    expect(refused).toMatch(/^403 .*run/);
    await page.context().close();
  });

  it("offers a reader no action on any page (CO3)", async () => {
    const { key } = await world.json<Key>(
      "/keys",
      { tenant: "default", scopes: ["read"] },
      ADMIN_KEY,
    );
    const page = await world.open("/");
    await signIn(page, key);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    const addresses = consoleAddresses({
      id: runId,
      step: "task:sort/turn:1/llm",
      other: runId,
      name: "release-notes",
      kind: "flow",
      "/flows/$name name": "announce",
      "/chat/$kind/$name name": "tea-shop",
      "/chat/$kind/$name/{-$session} name": "tea-shop",
      "/agents/$name name": "clerk",
      "/conversations/$name name": "debate",
      collection: "handbook",
      schedule: "inbox-digest",
      hook: "none",
    });
    const offered: string[] = [];
    for (const address of addresses) {
      await page.goto(`${world.url}/console${address}`);
      await page.locator("main :is(h1, h2)").first().waitFor();
      await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
      for (const text of await page
        .locator("main button:visible, main a.button:visible")
        .allInnerTexts())
        if (ACTIONS.test(text.trim())) offered.push(`${address}: ${text.trim()}`);
    }
    expect(offered).toEqual([]);
    await page.context().close();
  }, 240_000);

  it("shows another tenant's run like an unknown one (CO31)", async () => {
    const { key } = await world.json<Key>(
      "/keys",
      { tenant: "acme", scopes: ["read", "run"] },
      ADMIN_KEY,
    );
    const page = await world.open("/runs");
    await signIn(page, key);
    const other = await textAt(page.context(), runId);
    expect(other).toContain("This page does not exist");
    expect(other).toBe(await textAt(page.context(), "a-run-that-never-was"));
    await page.context().close();
  });

  async function textAt(context: BrowserContext, id: string): Promise<string> {
    const page = await world.open(`/runs/${id}`, context);
    await page.getByText("This page does not exist").waitFor();
    const text = await page.locator("main").innerText();
    await page.close();
    return text;
  }
});

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Signing in" }).waitFor({ state: "detached" });
}
