// Settings, in Chromium before the real Worker that wants keys.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";

const path = chromiumPath();
const ADMIN = "an admin key that only this test has";

describe.runIf(path !== undefined)("settings", () => {
  let world: ConsoleWorld;
  let context: BrowserContext;

  beforeAll(async () => {
    world = await ConsoleWorld.start(path ?? "", {
      EDGECREW_AUTH: "keys",
      EDGECREW_ADMIN_KEY: ADMIN,
    });
    context = await world.browser.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
    });
  }, 240_000);

  afterAll(() => world?.stop());

  async function signedIn(address: string): Promise<Page> {
    const page = await world.open(address, context);
    await page.locator("main").waitFor();
    const key = page.getByLabel("Key", { exact: true });
    await key.or(page.getByRole("heading", { name: "Settings" })).waitFor();
    if (await key.isVisible()) {
      await key.fill(ADMIN);
      await page.getByRole("button", { name: "Sign in" }).click();
    }
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    return page;
  }

  it("makes a working key, shown once and copyable (CO28)", async () => {
    const page = await signedIn("/settings?tab=keys");
    await page.getByText("There is no key yet").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("dashboard");
    await page.getByRole("checkbox", { name: /^run/ }).uncheck();
    await page.getByRole("button", { name: "Make the key" }).click();
    const secret = await page.locator("[data-secret]").innerText();
    await page.getByRole("button", { name: "Copy the key" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    const row = page.getByRole("table", { name: "Keys" }).getByRole("row", { name: /dashboard/ });
    await row.getByText("see runs, definitions, memory and usage").waitFor();
    await row.getByText("not yet").waitFor();
    const ask = (): Promise<number> =>
      fetch(`${world.url}/runs`, { headers: { authorization: `Bearer ${secret}` } }).then(
        ({ status }) => status,
      );
    expect(await ask()).toBe(200);
    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(secret);

    await row.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
    expect(await ask()).toBe(200);
    await row.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the key" }).click();
    await page.getByText("There is no key yet").waitFor();
    expect(await ask()).toBe(401);
    expect(world.faults).toEqual([]);
  });

  it("makes an old session sign in again before it makes a key (CO28)", async () => {
    const page = await signedIn("/settings?tab=keys");
    await page.route("**/keys", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 403,
            contentType: "application/problem+json",
            body: JSON.stringify({
              title: "Forbidden",
              status: 403,
              code: "forbidden",
              detail: "keys are made soon after signing in: sign in again",
            }),
          })
        : route.continue(),
    );
    await page.getByLabel("Name", { exact: true }).fill("later");
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByText("keys are made soon after signing in").waitFor();
    await page.unroute("**/keys");
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByLabel("Key", { exact: true }).fill(ADMIN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Name", { exact: true }).fill("later");
    await page.getByRole("button", { name: "Make the key" }).click();
    expect(await page.locator("[data-secret]").innerText()).toMatch(/^ec_/);
  });

  it("ends all sessions of the tenant after it has asked, its own too (CO28)", async () => {
    const page = await signedIn("/settings?tab=access");
    await page.getByText("is signed in with a key").waitFor();
    await page.getByRole("button", { name: "End all sessions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End them" }).click();
    await page.getByRole("heading", { name: "Sign in to Edgecrew" }).waitFor();
    const status = await page.evaluate(async () => (await fetch("/runs")).status);
    expect(status).toBe(401);
  });

  it("keeps theme and keyboard settings in this browser, and shows the app's addresses (CO28)", async () => {
    const page = await signedIn("/settings");
    await page.getByText(`${world.url}/.well-known/agent-card.json`).waitFor();
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.getByRole("checkbox", { name: /Single letters/ }).uncheck();
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    await page.keyboard.press("?");
    await page.waitForTimeout(200);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("checkbox", { name: /Single letters/ }).check();
    await page.getByRole("heading", { name: "Settings" }).click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
  });
});
