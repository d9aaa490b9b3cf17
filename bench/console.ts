// How smoothly the console shows very long runs: the first row, frames while 10,000 rows scroll, and frames while 120 events a
// second come in. Needs Chromium (CHROMIUM_PATH), and the pages as `npm run build` makes them.
//
//   node bench/console.ts --seconds 60
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { buildConsolePages } from "../scripts/console-pages.ts";
import { chromiumPath, launchChromium } from "../test/support/chromium.ts";
import { LongRunServer, type LongRunOptions } from "../test/support/long-run-server.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const SLOW_FRAME_MS = 50;
const EVENTS_PER_SECOND = 120;
const EVENTS_PER_STEP = 2;
const TICK_MS = 100;

type Frames = {
  readonly frames: number;
  /** That came more than 50 ms after the one before. */
  readonly slow: number;
  readonly longestMs: number;
  /** Tasks of more than 50 ms. */
  readonly longTasks: number;
  /** CPU time of the page's thread for each frame. */
  readonly cpuMsPerFrame: number;
};

const path = chromiumPath();
if (path === undefined) process.exit(1);
await buildConsolePages();
const browser = await launchChromium(path);
try {
  print("first row of 2,000 steps, ms", await firstRow(browser));
  print("10,000 rows, scrolled from end to end", await scrolled(browser));
  for (const tab of ["timeline", "conversation"])
    print(
      `${EVENTS_PER_SECOND} events/s for ${values.seconds} s, ${tab}`,
      await live(browser, tab),
    );
} finally {
  await browser.close();
}

/** The best of five, from the request for the page on. */
async function firstRow(from: Browser): Promise<{ readonly ms: readonly number[] }> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++)
    await withPage(from, { rows: 2000, isOver: true }, async (page, server) => {
      const begun = performance.now();
      await page.goto(`${server.url}/console/runs/long`);
      await page.locator("[data-key]").first().waitFor();
      times.push(Math.round(performance.now() - begun));
    });
  return { ms: times.toSorted((one, other) => one - other) };
}

async function scrolled(from: Browser): Promise<Frames> {
  return withPage(from, { rows: 10_000, isOver: true }, async (page, server) => {
    await page.goto(`${server.url}/console/runs/long`);
    const grid = page.getByRole("treegrid");
    await page.waitForFunction(
      () =>
        Number(document.querySelector("[role=treegrid]")?.getAttribute("aria-rowcount")) > 15_000,
      undefined,
      { timeout: 60_000 },
    );
    await setTimeout(1000);
    const stop = await watchFrames(page);
    await grid.evaluate(async (element) => {
      for (let top = 0; top < element.scrollHeight; top += 800) {
        element.scrollTop = top;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    return stop();
  });
}

async function live(from: Browser, tab: string): Promise<Frames> {
  return withPage(from, { rows: 2000 }, async (page, server) => {
    await page.goto(`${server.url}/console/runs/long?tab=${tab}`);
    await page.locator('[data-run-connection="live"]').waitFor();
    await setTimeout(3000);
    const stop = await watchFrames(page);
    const end = performance.now() + Number(values.seconds) * 1000;
    const begun = performance.now();
    for (let done = 0; performance.now() < end;) {
      const due = ((performance.now() - begun) / 1000) * (EVENTS_PER_SECOND / EVENTS_PER_STEP);
      server.goOn(Math.floor(due) - done);
      done = Math.floor(due);
      await setTimeout(TICK_MS);
    }
    return stop();
  });
}

async function withPage<T>(
  from: Browser,
  options: LongRunOptions,
  use: (page: Page, server: LongRunServer) => Promise<T>,
): Promise<T> {
  const server = await LongRunServer.start(options);
  const context = await from.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    return await use(await context.newPage(), server);
  } finally {
    await context.close();
    await server.stop();
  }
}

type Watched = {
  benchFrames?: { count: number; slow: number; longestMs: number; longTasks: number };
};

/** Counts frames from now on, and those that came late; what is returned ends that. */
async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuMs = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  };
  const begunMs = await cpuMs();
  await page.evaluate((slowMs) => {
    const seen = { count: 0, slow: 0, longestMs: 0, longTasks: 0 };
    (globalThis as Watched).benchFrames = seen;
    new PerformanceObserver((list) => {
      seen.longTasks += list.getEntries().length;
    }).observe({ type: "longtask" });
    let last = performance.now();
    const look = (now: number): void => {
      seen.count += 1;
      if (now - last > slowMs) seen.slow += 1;
      seen.longestMs = Math.max(seen.longestMs, now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, SLOW_FRAME_MS);
  return async () => {
    const seen = await page.evaluate(() => (globalThis as Watched).benchFrames);
    const { count = 0, slow = 0, longestMs = 0, longTasks = 0 } = seen ?? {};
    const cpuMsPerFrame = Math.round(((await cpuMs()) - begunMs) / Math.max(1, count));
    return { frames: count, slow, longestMs: Math.round(longestMs), longTasks, cpuMsPerFrame };
  };
}

function print(name: string, result: object): void {
  process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
}
