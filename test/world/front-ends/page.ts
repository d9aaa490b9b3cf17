// Pages of the examples in Chromium, each in a context of its own.
import type { Browser, Page } from "playwright-core";

export type { Page } from "playwright-core";

const HTML = '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>';

export class FrontEnds {
  readonly #browser: Browser;
  readonly #key: string;

  constructor(browser: Browser, key: string) {
    this.#browser = browser;
    this.#key = key;
  }

  /** Opens the page of an agent; the address of a new thread is in it afterwards. */
  async open({
    origin,
    scripts,
    agent,
  }: {
    readonly origin: string;
    readonly scripts: ReadonlyMap<string, string>;
    readonly agent: string;
  }): Promise<Page> {
    const extraHTTPHeaders = { authorization: `Bearer ${this.#key}` };
    const page = await (await this.#browser.newContext({ extraHTTPHeaders })).newPage();
    page.setDefaultTimeout(15_000);
    await page.route(`${origin}/page*`, (route) =>
      route.fulfill({ contentType: "text/html", body: HTML }),
    );
    await page.route(
      ({ pathname }) => scripts.has(pathname),
      (route) => {
        const body = scripts.get(new URL(route.request().url()).pathname) ?? "";
        return route.fulfill({ contentType: "text/javascript", body });
      },
    );
    await page.goto(`${origin}/page?agent=${agent}`);
    return page;
  }

  async close(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
  }
}
