import { describe, expect, it } from "vitest";
import type { ChangesSource, ChangesNews } from "../../../src/client/index.ts";
import { readShared, type Tab } from "../../../src/client/store/shared-tabs.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

/** A browser: its locks, its channels, and how many connections its tabs have. */
class Browser {
  readonly clock = new SimulatedClock();
  readonly readers: Array<(news: ChangesNews) => void> = [];
  readonly #channels = new Set<{ onmessage: ((event: { data: unknown }) => void) | null }>();
  #lock: Promise<unknown> = Promise.resolve();
  readonly isOld: boolean;

  constructor({ isOld = false } = {}) {
    this.isOld = isOld;
  }

  open() {
    const tab = new BrowserTab(this);
    const leaving = new AbortController();
    const said: string[] = [];
    const source: ChangesSource = async (tell, signal) => {
      this.readers.push(tell);
      tell({ connection: { state: "live" } });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      this.readers.splice(this.readers.indexOf(tell), 1);
    };
    const tell = (news: ChangesNews): void => {
      said.push("connection" in news ? news.connection.state : news.change.type);
    };
    const options = { tab: tab.parts, name: "test", clock: this.clock };
    const done = readShared(options, source, [tell, leaving.signal]);
    const close = (): Promise<void> => (leaving.abort(), done);
    return { tab, said, close };
  }

  readonly request = (
    _: string,
    { signal }: { readonly signal: AbortSignal },
    work: () => Promise<void>,
  ): Promise<unknown> => {
    const aborted = new Promise((resolve) =>
      signal.addEventListener("abort", resolve, { once: true }),
    );
    const before = this.#lock;
    const turn = (async () => {
      await Promise.race([before, aborted]);
      if (signal.aborted) throw signal.reason;
      await work();
    })();
    this.#lock = Promise.all([before, turn.catch(() => undefined)]);
    return turn;
  };

  channel(): NonNullable<Tab["BroadcastChannel"]> {
    const channels = this.#channels;
    return class {
      onmessage: ((event: { data: unknown }) => void) | null = null;
      constructor() {
        channels.add(this);
      }
      postMessage(data: unknown): void {
        for (const each of channels)
          if (each !== this)
            queueMicrotask(() => each.onmessage?.({ data: structuredClone(data) }));
      }
      close(): void {
        channels.delete(this);
      }
    };
  }
}

class BrowserTab {
  readonly listeners = new Set<() => void>();
  readonly parts: Tab;
  #isHidden = false;

  constructor(browser: Browser) {
    const isHidden = (): boolean => this.#isHidden;
    const document = {
      get hidden(): boolean {
        return isHidden();
      },
      addEventListener: (_: string, listener: () => void) => void this.listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) =>
        void this.listeners.delete(listener),
    };
    this.parts = browser.isOld
      ? { document }
      : { document, navigator: { locks: browser }, BroadcastChannel: browser.channel() };
  }

  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
    for (const listener of this.listeners) listener();
  }
}

const LOOK: ChangesNews = { change: { type: "look" } };

describe("tabs of a browser", () => {
  it("TBS1: share one connection, and the next one takes over when the first is closed (CO38)", async () => {
    const browser = new Browser();
    const [first, second] = [browser.open(), browser.open()];
    await browser.clock.settle();
    expect(browser.readers).toHaveLength(1);
    browser.readers[0]?.(LOOK);
    await browser.clock.settle();
    expect([first.said, second.said]).toEqual([
      ["live", "look"],
      ["live", "look"],
    ]);
    await first.close();
    await browser.clock.settle();
    expect(browser.readers).toHaveLength(1);
    browser.readers[0]?.(LOOK);
    expect(second.said.at(-1)).toBe("look");
    await second.close();
    expect(browser.readers).toEqual([]);
    expect(browser.clock.pending).toBe(0);
  });

  it("TBS2: hand over when the reading tab is hidden for a minute, and rest when all are", async () => {
    const browser = new Browser();
    const [first, second] = [browser.open(), browser.open()];
    await browser.clock.settle();
    first.tab.hide(true);
    await browser.clock.advance(30_000);
    first.tab.hide(false);
    await browser.clock.advance(90_000);
    expect(second.said).toEqual(["live"]);
    first.tab.hide(true);
    await browser.clock.advance(61_000);
    expect(second.said).toEqual(["live", "paused", "live"]);
    browser.readers[0]?.(LOOK);
    await browser.clock.settle();
    expect(first.said.slice(-2)).toEqual(["live", "look"]);
    second.tab.hide(true);
    await browser.clock.advance(61_000);
    expect(browser.readers).toEqual([]);
    expect([first.said.at(-1), second.said.at(-1)]).toEqual(["paused", "paused"]);
    first.tab.hide(false);
    await browser.clock.settle();
    expect([first.said.at(-1), second.said.at(-1)]).toEqual(["live", "live"]);
    expect(browser.readers).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
    expect([browser.clock.pending, first.tab.listeners.size]).toEqual([0, 0]);
  });

  it("TBS3: receive the state of the connection when they come later", async () => {
    const browser = new Browser();
    const first = browser.open();
    await browser.clock.settle();
    const second = browser.open();
    await browser.clock.settle();
    expect(second.said).toEqual(["live"]);
    await Promise.all([first.close(), second.close()]);
  });

  it("TBS4: read each for itself without locks, while they are visible", async () => {
    const browser = new Browser({ isOld: true });
    const [first, second] = [browser.open(), browser.open()];
    await browser.clock.settle();
    expect(browser.readers).toHaveLength(2);
    first.tab.hide(true);
    await browser.clock.advance(61_000);
    expect(browser.readers).toHaveLength(1);
    expect([first.said, second.said]).toEqual([["live", "paused"], ["live"]]);
    await Promise.all([first.close(), second.close()]);
    expect(browser.clock.pending).toBe(0);
  });
});
