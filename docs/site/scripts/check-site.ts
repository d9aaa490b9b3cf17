// DO3: what the built site promises. It links to nothing that is not there, `llms.txt` names every page, and in Chromium no
// request leaves it, its search finds something, and axe has nothing to say.
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";

const site = fileURLToPath(new URL("..", import.meta.url));
const dist = `${site}dist`;
const axe = readFileSync(`${site}node_modules/axe-core/axe.min.js`, "utf8");

/** Debian's, or whatever `CHROMIUM` names. */
const CHROMIUM =
  process.env["CHROMIUM"] ??
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** Pages of each kind: prose, tables, code, generated references. */
const LOOKED_AT = [
  "/",
  "/start-five-minutes/",
  "/crews/",
  "/coming-from-crewai/",
  "/reference-cli/",
  "/tool-names/",
  "/flow-pictures/",
  "/api/all/",
  "/api/edgecrew/client/",
  "/changelog/",
];

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
};

let passed = 0;
const failures: string[] = [];

check("the site is built", existsSync(`${dist}/index.html`), "run npm run build");
checkLinks();
checkTexts();
await checkInBrowser();

for (const failure of failures) console.error(`✗ ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function check(what: string, holds: boolean, detail: string): void {
  if (holds) passed++;
  else failures.push(`${what}: ${detail}`);
}

function htmlFiles(): string[] {
  return globSync("**/*.html", { cwd: dist }).filter((name) => name !== "404.html");
}

function checkLinks(): void {
  const ids = new Map<string, Set<string>>();
  const idsOf = (file: string): Set<string> => {
    const known = ids.get(file);
    if (known !== undefined) return known;
    const html = readFileSync(`${dist}/${file}`, "utf8");
    const made = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id));
    ids.set(file, made);
    return made;
  };
  const dead = new Set<string>();
  for (const file of htmlFiles()) {
    const html = readFileSync(`${dist}/${file}`, "utf8");
    const own = `/${file.slice(0, -"index.html".length)}`;
    for (const [, href = ""] of html.matchAll(/<[a-z][^<>]*? (?:href|src)="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(href)) continue;
      const target = new URL(href.replaceAll("&amp;", "&"), `http://site${own}`);
      const path = decodeURIComponent(target.pathname);
      const at = path.endsWith("/") ? `${path.slice(1)}index.html` : path.slice(1);
      const anchor = decodeURIComponent(target.hash.slice(1));
      if (!existsSync(`${dist}/${at}`)) dead.add(`${own} → ${href}`);
      else if (anchor !== "" && at.endsWith(".html") && !idsOf(at).has(anchor))
        dead.add(`${own} → ${href}`);
    }
  }
  check(
    "links and anchors lead somewhere",
    dead.size === 0,
    `\n  ${[...dead].slice(0, 40).join("\n  ")}`,
  );
}

function checkTexts(): void {
  const index = readFileSync(`${dist}/llms.txt`, "utf8");
  const whole = readFileSync(`${dist}/llms-full.txt`, "utf8");
  const pages = htmlFiles().map((file) => file.replace(/\/?index\.html$/, "") || "index");
  const unnamed = pages.filter((slug) => !index.includes(`](/${slug}.md)`));
  check("llms.txt names every page", unnamed.length === 0, unnamed.join(", "));
  const without = pages.filter((slug) => !existsSync(`${dist}/${slug}.md`));
  check("each page is there as Markdown", without.length === 0, without.join(", "));
  check("llms-full.txt has the pages", whole.length > 500_000, `${whole.length} characters`);
}

async function checkInBrowser(): Promise<void> {
  if (CHROMIUM === undefined) {
    check("Chromium is there", false, "install Debian's package chromium, or set CHROMIUM");
    return;
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
    const file = join(dist, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(dist) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      const elsewhere: string[] = [];
      const broken: string[] = [];
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) elsewhere.push(url);
      });
      page.on("response", (response) => {
        if (response.status() >= 400) broken.push(response.url());
      });
      page.on("pageerror", (error) => broken.push(error.message));
      for (const path of LOOKED_AT) {
        await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
        const found = await violations(page);
        check(`axe on ${path} (${colorScheme})`, found.length === 0, found.join("; "));
      }
      if (colorScheme === "light") await checkSearch(page, origin);
      check(
        `no request leaves the site (${colorScheme})`,
        elsewhere.length === 0,
        elsewhere.join(", "),
      );
      check(`nothing is missing (${colorScheme})`, broken.length === 0, broken.join(", "));
      await context.close();
    }
  } finally {
    await browser.close();
    server.close();
  }
}

async function checkSearch(page: Page, origin: string): Promise<void> {
  await page.goto(origin, { waitUntil: "networkidle" });
  await page.locator("button[data-open-modal]").click();
  await page.locator("dialog input").fill("checkpoint");
  const results = page.locator(".pagefind-ui__result-link");
  const found = await results
    .first()
    .waitFor({ timeout: 15_000 })
    .then(
      () => true,
      () => false,
    );
  check("the search finds something", found, "no result for checkpoint");
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations: all } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return all.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(" ")}`,
    );
  });
}

type Axe = {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};
