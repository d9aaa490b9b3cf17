// Very long runs and lists, and what several tabs share, before a server that has them at once.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { LongRunServer, type LongRunOptions } from "../support/long-run-server.ts";

const path = chromiumPath();
const DAY_MS = 86_400_000;

describe.runIf(path !== undefined)("the console, with very much to show", () => {
  let browser: Browser;
  let server: LongRunServer | undefined;

  beforeAll(async () => {
    browser = await launchChromium(path ?? "");
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await server?.stop();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function open(options: LongRunOptions, address: string): Promise<[LongRunServer, Page]> {
    server = await LongRunServer.start(options);
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${server.url}/console${address}`);
    return [server, page];
  }

  it("scrolls 5,000 runs to their end, each of them once, as the API has them (CO5)", async () => {
    const [, page] = await open({ rows: 1, runs: 5000 }, "/runs");
    const table = page.getByRole("table", { name: "Runs" });
    await table.locator("[data-run]").first().waitFor();
    const seen = await table.evaluate(async (element) => {
      const found = new Set<string>();
      const until = performance.now() + 90_000;
      while (found.size < 5000 && performance.now() < until) {
        for (const row of element.querySelectorAll<HTMLElement>("[data-run]"))
          found.add(row.dataset["run"] ?? "");
        element.scrollBy(0, 400);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        await new Promise((resolve) => setTimeout(resolve));
      }
      return [...found];
    });
    expect(seen).toHaveLength(5000);
    await page.getByText("5,000 runs").waitFor();
    await page.getByText("Together $50.00 · 50,000 tokens · 5,000 model calls").waitFor();
    const ids = Array.from({ length: 5000 }, (_, index) => `run-${String(index).padStart(5, "0")}`);
    expect(seen.toSorted()).toEqual(ids);
    expect(await table.getAttribute("aria-rowcount")).toBe("5001");
    expect(await table.locator("[data-run]").count()).toBeLessThanOrEqual(120);
  });

  it("requests each filter, has it in the address, and removes it on the way back (CO4)", async () => {
    const [world, page] = await open({ rows: 1, runs: 30 }, "/runs");
    await page.locator("[data-run]").first().waitFor();
    const asked = (): URLSearchParams =>
      new URLSearchParams(
        world.requests.findLast((each) => each.includes("/runs?"))?.split("?")[1],
      );
    const filters = page.getByRole("group", { name: "Filters" });
    const steps: readonly (readonly [() => Promise<unknown>, string, string])[] = [
      [() => filters.getByRole("button", { name: "Failed" }).click(), "status", "failed"],
      [() => filters.getByRole("button", { name: "Waiting" }).click(), "status", "failed,waiting"],
      [() => filters.getByLabel("Kind").selectOption("flow"), "kind", "flow"],
      [() => filters.getByLabel("Since").selectOption("day"), "period", "day"],
      [() => filters.getByRole("button", { name: "Asks somebody" }).click(), "waiting", "person"],
      [() => filters.getByRole("button", { name: "Without children" }).click(), "top", "1"],
      [
        async () => {
          await filters.getByLabel("Search runs").fill("harbour lights");
          await page.keyboard.press("Enter");
        },
        "q",
        "harbour lights",
      ],
    ];
    const addresses: string[] = [page.url()];
    for (const [act, name, value] of steps) {
      await act();
      await page.waitForURL((url) => url.searchParams.get(name) === value);
      const isAsked = () => (name === "period" ? asked().has("from") : asked().get(name) === value);
      await expect.poll(isAsked).toBe(true);
      addresses.push(page.url());
    }
    await filters.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("Name of this view").fill("To look at");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    for (const address of addresses.toReversed().slice(1)) {
      await page.goBack();
      await page.waitForURL(address);
    }
    const failed = filters.getByRole("button", { name: "Failed" });
    expect(await failed.getAttribute("aria-pressed")).toBe("false");
    await page.reload();
    await filters.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "To look at", exact: true }).click();
    await page.waitForURL(addresses.at(-1) ?? "");
    expect(await failed.getAttribute("aria-pressed")).toBe("true");
  });

  it("has at most 120 rows of 10,000 in the document, and comes to both ends (CO37)", async () => {
    const [{ rowCount }, page] = await open({ rows: 10_000, isOver: true }, "/runs/long");
    const grid = page.getByRole("treegrid", { name: "Timeline" });
    await expect
      .poll(() => grid.getAttribute("aria-rowcount"), { timeout: 60_000 })
      .toBe(String(rowCount + 1 + Math.floor(10_000 / 2))); // each turn is a row of its own
    const most = await grid.evaluate(async (element) => {
      let count = 0;
      for (let top = 0; top <= element.scrollHeight; top += element.scrollHeight / 60) {
        element.scrollTop = top;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        count = Math.max(count, element.querySelectorAll("[data-key]").length);
      }
      return count;
    });
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(120);
    await grid.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await grid.locator('[data-key="task:part-124/turn:40/tool:search#0"]').waitFor();
    await grid.evaluate((element) => (element.scrollTop = 0));
    await grid.locator('[data-key="task:part-0"]').waitFor();
  });

  it("has at most 120 of 10,000 events in the document, and reads on to the last one (CO37)", async () => {
    server = await LongRunServer.start({ rows: 1, isOver: true });
    server.goOn(5000);
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${server.url}/console/runs/long?tab=raw`);
    const events = page.getByRole("region", { name: "Stored events" });
    await events.locator("[data-seq]").first().waitFor();
    let most = 0;
    await expect
      .poll(
        async () => {
          most = Math.max(most, await events.locator("[data-seq]").count());
          await events.evaluate((element) => (element.scrollTop = element.scrollHeight));
          return events.locator('[data-seq="10000"]').count();
        },
        { timeout: 60_000, interval: 50 },
      )
      .toBe(1);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(120);
    await page.getByText("10,000 events", { exact: true }).waitFor();
  });

  it("adds the rows of events without reading the journal again, and follows the last one until one scrolls away (CO37)", async () => {
    const [world, page] = await open({ rows: 2000 }, "/runs/long");
    const grid = page.getByRole("treegrid", { name: "Timeline" });
    const count = async () => Number(await grid.getAttribute("aria-rowcount"));
    const whole = (rows: number) => rows + Math.floor(2000 / 2) + 1;
    await expect.poll(count, { timeout: 30_000 }).toBe(whole(world.rowCount));
    await page.locator('[data-run-connection="live"]').waitFor();
    const asked = () => world.requests.filter((each) => each.includes("/journal")).length;
    const before = asked();
    for (let second = 0; second < 5; second++) {
      world.goOn(60);
      await page.waitForTimeout(100);
    }
    await expect
      .poll(() => grid.locator("[data-key]").last().getAttribute("data-key"))
      .toBe("task:part-28/turn:30/tool:search#0");
    expect(asked() - before).toBeLessThanOrEqual(3);
    await grid.hover();
    await page.mouse.wheel(0, -2000);
    await expect
      .poll(() => grid.locator("[data-key]").last().getAttribute("data-key"))
      .not.toBe("task:part-28/turn:30/tool:search#0");
    const top = await grid.evaluate((element) => element.scrollTop);
    world.goOn(20);
    await page.waitForTimeout(300);
    expect(await grid.evaluate((element) => element.scrollTop)).toBe(top);
  });

  it("reports a lost network, and then has every row once (CO11)", async () => {
    const [world, page] = await open({ rows: 20 }, "/runs/long");
    const grid = page.getByRole("treegrid", { name: "Timeline" });
    await page.locator('[data-run-connection="live"]').waitFor();
    world.goOn(4);
    await grid.locator('[data-key="task:part-0/turn:12/tool:search#0"]').waitFor();
    await page.setViewportSize({ width: 1280, height: 3000 });
    world.cut(true);
    await page.locator('[data-run-connection="retrying"]').waitFor();
    await page.locator(".run-facts").getByText("Retrying in").waitFor();
    world.goOn(6);
    world.cut(false);
    await page.locator('[data-run-connection="live"]').waitFor();
    await grid.locator('[data-key="task:part-0/turn:15/tool:search#0"]').waitFor();
    const keys = await grid
      .locator("[data-key]")
      .evaluateAll((all) => all.map((row) => row.getAttribute("data-key") ?? ""));
    const steps = keys.filter((key) => /llm$|#0$/.test(key));
    expect(steps).toHaveLength(30);
    expect(new Set(steps).size).toBe(30);
  });

  it("cancels 30 runs at once, five at a time, and lists the 3 refused ones (CO30)", async () => {
    const [world, page] = await open({ rows: 1, runs: 60 }, "/runs");
    await page.locator("[data-run]").first().waitFor();
    for (let row = 0; row < 30; row++) {
      await page.keyboard.press("j");
      await page.keyboard.press("x");
    }
    const bar = page.getByRole("toolbar", { name: "Chosen runs" });
    await bar.getByText("30 runs chosen").waitFor();
    await bar.getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.getByText("27 runs cancelled, 3 refused:").waitFor();
    expect(world.requests.filter((each) => each.endsWith("/cancel"))).toHaveLength(30);
    const refused = dialog.locator(".refused li");
    expect(await refused.count()).toBe(3);
    for (const text of await refused.allInnerTexts()) expect(text).toContain("the run has ended");
    await dialog.getByRole("button", { name: "Close" }).click();
    await bar.waitFor(); // what was refused can be looked at again
  });

  it("needs no more memory the longer a stream goes on (CO37)", async () => {
    const [world, page] = await open({ rows: 400 }, "/runs/long?tab=conversation");
    await page.locator('[data-run-connection="live"]').waitFor();
    const session = await page.context().newCDPSession(page);
    const used = async (): Promise<number> => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      return usedSize;
    };
    const stream = async (steps: number): Promise<void> => {
      for (let done = 0; done < steps; done += 20) {
        world.goOn(20);
        await page.waitForTimeout(20);
      }
      await page.waitForTimeout(1000);
    };
    await stream(1000);
    const first = await used();
    await stream(4000);
    // Only the rows are kept of the events: about 3 kB for each step, and up to 3.6 in some builds of Chromium.
    expect((await used()) - first).toBeLessThan(4000 * 4200);
  });

  it("folds a wait of three months, shows its length, and leaves bars before and after it readable (CO18)", async () => {
    const [, page] = await open({ rows: 8, isOver: true, waitMs: 90 * DAY_MS }, "/runs/long");
    const grid = page.getByRole("treegrid", { name: "Timeline" });
    await grid.getByText("90 d").first().waitFor();
    const bars = await grid.locator(".bar.model, .bar.work").evaluateAll((all) =>
      all.map((bar) => {
        const { left, width } = bar.getBoundingClientRect();
        const track = bar.parentElement?.getBoundingClientRect();
        return { place: (left - (track?.left ?? 0)) / (track?.width ?? 1), width };
      }),
    );
    expect(bars.length).toBeGreaterThan(5);
    expect(bars.every(({ width }) => width > 4)).toBe(true);
    expect(bars.some(({ place }) => place < 0.45)).toBe(true);
    expect(bars.some(({ place }) => place > 0.5)).toBe(true);
  });

  it("zooms with the handles of the brush, by keyboard too, and shows the newest rows first (CO18)", async () => {
    const [, page] = await open({ rows: 200, isOver: true }, "/runs/long");
    const grid = page.getByRole("treegrid", { name: "Timeline" });
    const first = grid.locator('[data-key="task:part-0/turn:1/llm"] .bar');
    await first.waitFor();
    const before = (await first.boundingBox())?.width ?? 0;
    const upTo = page.getByRole("slider", { name: "Show up to" });
    await upTo.focus();
    for (let press = 0; press < 9; press++) await upTo.press("PageDown");
    await expect
      .poll(async () => (await first.boundingBox())?.width ?? 0)
      .toBeGreaterThan(before * 1.5);
    await page.getByRole("button", { name: "show all" }).click();
    await page.getByRole("button", { name: "Whole run" }).waitFor();
    await page.getByRole("button", { name: "Newest first" }).click();
    await expect
      .poll(() => grid.locator("[data-key]").first().getAttribute("data-key"))
      .toBe("task:part-2");
    expect(await grid.locator("[data-key]").nth(1).getAttribute("data-key")).toBe(
      "task:part-2/turn:20",
    );
  });

  it("follows changes with one stream for all tabs, which another one takes over (CO38)", async () => {
    const [world, leader] = await open({ rows: 1, runs: 3 }, "/runs");
    await expect.poll(() => world.changeStreams).toBe(1);
    const other = await leader.context().newPage();
    await other.goto(`${world.url}/console/runs`);
    await other.locator("[data-run]").first().waitFor();
    // Each page of the console needs it, and none has one of its own.
    const inbox = await leader.context().newPage();
    await inbox.goto(`${world.url}/console/inbox`);
    await inbox.getByText("No open questions").waitFor();
    await other.waitForTimeout(1000);
    expect(world.changeStreams).toBe(1);
    world.change("first-change");
    for (const page of [leader, other]) await page.locator('[data-run="first-change"]').waitFor();
    await inbox.close();
    await leader.close();
    await expect.poll(() => world.changeStreams, { timeout: 15_000 }).toBe(1);
    await expect
      .poll(() => world.requests.filter((each) => each.includes(" /changes")).length)
      .toBe(2);
    world.change("second-change");
    await other.locator('[data-run="second-change"]').waitFor();
  });
});
