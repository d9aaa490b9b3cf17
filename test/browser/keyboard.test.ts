// Dialogs, menus and choices by keyboard alone, at 1280 and 390 px.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";

const path = chromiumPath();

const DIALOGS: readonly (readonly [address: string, button: string])[] = [
  ["/crews", "New crew"],
  ["/flows", "New flow"],
  ["/conversations", "New conversation"],
  ["/triggers", "New schedule"],
  ["/triggers", "New webhook"],
  ["/memory", "Save a memory"],
  ["/settings?tab=access", "End all sessions"],
];
const MENUS: readonly (readonly [address: string, button: string | RegExp])[] = [
  ["/runs", "Columns"],
  ["/runs", "Views"],
  ["/runs", "Copy as"],
  ["/crews/release-notes", "Copy as"],
  ["/settings", /^Theme/],
];

describe.runIf(path !== undefined)("the console by keyboard", () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await ConsoleWorld.start(path ?? "");
  });

  afterAll(async () => {
    await world?.stop();
  });

  const open = async (address: string, width = 1280): Promise<Page> =>
    world.open(address, await world.browser.newContext({ viewport: { width, height: 844 } }));

  it.each(DIALOGS)(
    "%s: %s opens a dialog by Enter, keeps the focus in it, and takes it back by Escape (CO35)",
    async (address, name) => {
      const page = await open(address);
      const button = page.getByRole("button", { name, exact: true });
      await tabTo(page, button);
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      expect(await dialog.getAttribute("aria-label")).not.toBe("");
      expect(await holdsFocus(dialog)).toBe(true);
      const controls = await dialog.locator("input, select, textarea, button").count();
      for (let press = 0; press < controls + 2; press++) {
        expect(await keepsFocus(dialog)).toBe(true);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await hasFocus(button)).toBe(true);
      await page.context().close();
    },
  );

  it.each(MENUS)(
    "%s: the menu %s opens by Enter, comes next by Tab, and gives the focus back by Escape (CO35)",
    async (address, name) => {
      const page = await open(address);
      const button = page.getByRole("button", { name }).first();
      await tabTo(page, button);
      await page.keyboard.press("Enter");
      const menu = page.locator("[popover]:popover-open");
      await menu.waitFor();
      await page.keyboard.press("Tab");
      expect(await holdsFocus(menu)).toBe(true);
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      expect(await hasFocus(button)).toBe(true);
      await page.context().close();
    },
  );

  it.each([
    ["Control+k", "Search"],
    ["?", "Keys"],
  ])("%s opens %s from anywhere, and Escape closes it (CO35)", async (key, title) => {
    const page = await open("/usage");
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.waitFor();
    expect(await holdsFocus(dialog)).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.context().close();
  });

  it("a phone's menu takes the focus, gives it back by Escape, and closes behind it (CO35)", async () => {
    const page = await open("/crews", 390);
    const button = page.getByRole("button", { name: "Menu" });
    const pages = page.getByRole("navigation", { name: "Pages" });
    await tabTo(page, button);
    await page.keyboard.press("Enter");
    await expect.poll(() => holdsFocus(pages)).toBe(true);
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    await pages.waitFor({ state: "hidden" });
    expect(await hasFocus(button)).toBe(true);

    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("link", { name: "API documentation" }));
    await page.keyboard.press("Tab");
    await pages.waitFor({ state: "hidden" });

    await tabTo(page, button);
    await page.keyboard.press("Enter");
    await tabTo(page, pages.getByRole("link", { name: "Memory" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Memory" }).waitFor();
    await pages.waitFor({ state: "hidden" });
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("the chosen view of a page is in sight on a phone (CO36)", async () => {
    const { id } = await world.json<{ readonly id: string }>("/crews/release-notes/kickoff", {
      inputs: { log: "a1b2c3d feat: begin" },
    });
    await world.ended(id);
    const page = await open(`/runs/${id}?tab=raw`, 390);
    const chosen = page.locator(".tabs [aria-current]");
    await chosen.waitFor();
    await expect
      .poll(async () => {
        const { x = 0, width = 0 } = (await chosen.boundingBox()) ?? {};
        return x >= 0 && x + width <= 390;
      })
      .toBe(true);
    await page.context().close();
  });

  it.each([
    ["Chat of two", "chat"],
    ["Group chat", "group_chat"],
    ["Queue of chats", "chats"],
    ["Nested chats", "default"],
  ])("stores a conversation that begins with %s (CO21)", async (label, pattern) => {
    const page = await open("/conversations");
    await tabTo(page, page.getByRole("button", { name: "New conversation" }));
    await page.keyboard.press("Enter");
    const name = label.toLowerCase().replaceAll(" ", "-");
    await tabTo(page, page.getByLabel("Name"));
    await page.keyboard.type(name);
    await page.keyboard.press("Tab");
    const choice = page.getByRole("radio", { name: label });
    for (let press = 0; press < 6 && !(await choice.isChecked()); press++)
      await page.keyboard.press("ArrowDown");
    expect(await choice.isChecked()).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("Not stored yet").waitFor();
    await page.getByText("None.", { exact: true }).waitFor();
    await page.keyboard.press("Control+s");
    await expect
      .poll(() => world.json(`/conversations/${name}`), { timeout: 30_000 })
      .toMatchObject({ name, pattern, version: 1 });
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});

const hasFocus = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => element === document.activeElement);

const holdsFocus = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element.contains(document.activeElement));

/** True if the focus is in a dialog, or on its way round through the browser's own controls. */
const keepsFocus = (dialog: Locator): Promise<boolean> =>
  dialog.evaluate(
    (element) =>
      document.activeElement === document.body || element.contains(document.activeElement),
  );

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let press = 0; press < 120; press++) {
    if (await hasFocus(wanted.first())) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${String(wanted)}`);
}
