// `npm run console:shots`: a picture of every page of the console, 1440 and 390 px wide, light and dark, for people
// to look at.
// Writes into reports/console-shots, or a named folder: `npm run console:shots -- /tmp/before`. Older pictures are
// replaced.
import { mkdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { runnerImport } from "vite";
import { chromiumPath } from "../test/support/chromium.ts";
import { ConsoleWorld } from "../test/support/console-world.ts";
import { buildConsolePages } from "./console-pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.argv[2] ?? `${root}reports/console-shots`;

type AddressValues = Readonly<Record<string, string>>;
type Addresses = { consoleAddresses(values: AddressValues): readonly string[] };

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light", viewport: WIDE },
  dark: { colorScheme: "dark", viewport: WIDE },
  "narrow-light": { colorScheme: "light", viewport: NARROW },
  "narrow-dark": { colorScheme: "dark", viewport: NARROW },
};

const chromium = chromiumPath();
if (chromium === undefined) process.exit(1);
await buildConsolePages();
// Node cannot read the files of the console's routes by itself.
const { module } = await runnerImport<Addresses>(`${root}test/browser/addresses.ts`, {
  configFile: false,
  root,
  logLevel: "error",
});
const world = await ConsoleWorld.start(chromium);
try {
  const addresses = module.consoleAddresses(await fill(world));
  mkdirSync(folder, { recursive: true });
  for (const [look, options] of Object.entries(LOOKS)) await takeAll(look, options, addresses);
  console.log(`${addresses.length * Object.keys(LOOKS).length} pictures in ${folder}`);
} finally {
  await world.stop();
}

async function takeAll(
  look: string,
  options: BrowserContextOptions,
  addresses: readonly string[],
): Promise<void> {
  const context = await world.browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await world.open("/", context);
  for (const address of addresses) {
    await page.goto(`${world.url}/console${address}`);
    await page.locator("main :is(h1, h2)").first().waitFor();
    await page.waitForTimeout(700);
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    await page.screenshot({ path: `${folder}/${fileName(address)}.${look}.png`, fullPage: true });
  }
  await context.close();
}

/** `/runs/x?tab=raw` as `runs-x-tab-raw`; ids of runs, which are others each time, are left out. */
function fileName(address: string): string {
  const words = decodeURIComponent(address)
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "id")
    .match(/\w+/g);
  return words?.join("-").slice(0, 100) ?? "home";
}

/** Until it has ended or asks. */
async function settled(to: ConsoleWorld, id: string): Promise<void> {
  for (let looks = 0; looks < 100; looks++) {
    const { status } = await to.json<{ readonly status: string }>(`/runs/${id}`);
    if (status !== "queued" && status !== "running") return;
    await setTimeout(100);
  }
}

/** Something on every page: runs of the examples, one that waits, memories, a collection, a schedule, a webhook. */
async function fill(to: ConsoleWorld): Promise<AddressValues> {
  const start = async (path: string, sample: string): Promise<string> => {
    const body = JSON.parse(readFileSync(`${root}examples/samples/${sample}.json`, "utf8"));
    return (await to.json<{ readonly id: string }>(path, body)).id;
  };
  const run = await start("/crews/release-notes/kickoff", "release-notes");
  await start("/crews/support-reply/kickoff", "support-reply");
  await start("/flows/announce/kickoff", "announce");
  await start("/flows/tighten/kickoff", "tighten");
  await start("/conversations/debate/kickoff", "debate");
  const tags = ["chat", "chat:afternoon"];
  for (const message of ["When do you open?", "I would like to order tea"]) {
    const turn = await to.json<{ readonly id: string }>("/flows/tea-shop/turns", {
      message,
      sessionId: "afternoon",
      tags,
    });
    await settled(to, turn.id);
  }
  await to.put("/crews/tea", {
    agents: { clerk: { role: "Clerk", goal: "Answer about tea", backstory: "Twenty years here" } },
    tasks: [
      { name: "look", description: "Look up {topic}", expectedOutput: "Facts", agent: "clerk" },
      { name: "answer", description: "Answer", expectedOutput: "A paragraph", agent: "clerk" },
    ],
  });
  const target = { kind: "crew", name: "tea" };
  await to.json("/schedules", {
    id: "evening",
    cron: "0 20 * * *",
    target,
    inputs: { topic: "tea" },
  });
  const sides = await Promise.all(
    ["offline/demo", "offline/echo"].map((llm) =>
      to.json<{ readonly id: string }>("/crews/tea/kickoff-for-each", {
        inputs: [{ topic: "Assam" }, { topic: "Sencha" }],
        tags: [`side:${llm}`],
        llm,
      }),
    ),
  );
  await to.json("/crews/tea/kickoff", { inputs: { topic: "Oolong" }, llm: "openai/none" });
  await to.put("/hooks/tickets", {
    scheme: "github",
    secret: "a secret that is long enough",
    target,
    inputs: { topic: "/title" },
    keepBodies: true,
  });
  await to.json("/hooks/tickets/test", { payload: { title: "Which tea wakes one up?" } });
  await to.json("/memory", { content: "Ada drinks Assam in the morning.", scope: "/guests/ada" });
  await to.json("/memory", { content: "Bo is allergic to milk.", scope: "/guests/bo" });
  await to.json("/knowledge/handbook/sources", {
    name: "opening hours",
    text: "The shop opens at 9 and closes at 18. On Sundays it is closed.",
  });
  await to.ended(run);
  const fork = await to.json<{ readonly id: string }>(`/runs/${run}/fork`, {
    fromTask: "write",
    inputs: { product: "Harbour", version: "2.5.0", log: "8f3c1a2 feat: a log of its own" },
  });
  const { items } = await to.json<{ items: readonly { key: string; kind: string }[] }>(
    `/runs/${run}/journal`,
  );
  return {
    id: run,
    other: fork.id,
    left: sides[0]?.id ?? "",
    right: sides[1]?.id ?? "",
    session: "afternoon",
    "/chat/$kind/$name/$session name": "tea-shop",
    "/chat/$kind/$name/{-$session} name": "tea-shop",
    step: items.find(({ kind }) => kind === "model")?.key ?? "",
    name: "tea",
    kind: "flow",
    "/chat/$kind/$name name": "tea-shop",
    "/flows/$name name": "announce",
    "/agents/$name name": "clerk",
    "/conversations/$name name": "debate",
    collection: "handbook",
    schedule: "evening",
    hook: "tickets",
  };
}
