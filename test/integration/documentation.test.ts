// What a reader types: the examples of `/docs` against the Worker that shows them, and every command of the README and the pages.
//
// Two Workers serve all of them: that of `npm start`, and one that is made of the apps in the pages' own code.
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writePagesApp } from "../support/pages-app.ts";
import {
  blocksOf,
  commandsOf,
  documentedProblems,
  runBlock,
  type ShellOptions,
} from "../support/doc-commands.ts";
import { startModelServer } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** In the order of their reading, where one goes on from another. */
const PAGES_OF_START = [
  "README.md",
  "docs/http-api.md",
  "docs/testing-and-training.md",
  "docs/memory-api.md",
  "docs/memory-people.md",
  "docs/knowledge-api.md",
  "docs/projects.md",
  "docs/console-runs.md",
];
const PAGES_WITH_AN_APP = [
  "docs/conversations.md",
  "docs/flows.md",
  "docs/flow-pictures.md",
  "docs/flow-state.md",
  "docs/conversational-flows.md",
  "docs/declarative-flows.md",
  "docs/triggers.md",
  "docs/parts.md",
  "docs/acp.md",
  "docs/files-api.md",
];

const temporary = mkdtempSync(`${tmpdir()}/edgecrew-documentation-`);
let models: Awaited<ReturnType<typeof startModelServer>>;
let started: WranglerDev | undefined;
let pagesApp: WranglerDev | undefined;

beforeAll(async () => {
  models = await startModelServer({ reply: answerAsModel });
  const own = writePagesApp(PAGES_WITH_AN_APP);
  const ofStart = { cwd: root, persistTo: `${temporary}/start` };
  const ofPages = { cwd: own, persistTo: `${temporary}/pages` };
  for (const project of [ofStart, ofPages]) migrate(project);
  const vars = {
    MODEL: "offline/demo",
    EMBEDDER: "offline/hash-embed",
    OPENAI_API_KEY: "test",
    OPENAI_BASE_URL: `${models.url}/v1`,
  };
  [started, pagesApp] = await Promise.all([
    WranglerDev.start({ ...ofStart, vars }),
    WranglerDev.start(ofPages),
  ]);
}, 240_000);

afterAll(async () => {
  await Promise.all([started?.kill(), pagesApp?.kill()]);
  await models.stop();
  rmSync(temporary, { recursive: true, force: true });
});

it("covers every page with commands for a Worker", () => {
  const pages = ["README.md", ...globSync("docs/*.md", { cwd: root })];
  const withCommands = pages.filter((page) => commandsOf(`${root}/${page}`).length > 0);
  expect(withCommands.toSorted()).toEqual([...PAGES_OF_START, ...PAGES_WITH_AN_APP].toSorted());
});

describe("the page /docs", () => {
  it("shows requests the Worker accepts as they are", async () => {
    const shell = shellOf(started, "docs-page");
    const html = await (await fetch(`${shell.url}/docs`)).text();
    const examples = Array.from(
      html.matchAll(/<section id="(\w+)">[^]*?<pre><code>([^]*?)<\/code>/g),
      ([, id = "", text = ""]) => ({ id, commands: unescaped(text) }),
    );
    expect(examples.length).toBeGreaterThan(140);
    const failed: string[] = [];
    let marked = 0;
    for (const { id, commands } of examples) {
      if (commands.startsWith("# Needs ")) {
        marked++;
        continue;
      }
      const { requests, output } = await runBlock(commands, { ...shell, patient: false });
      if (requests.length === 0 || requests.some(({ status }) => status >= 400))
        failed.push(`${id}:\n${output}`);
    }
    expect(failed).toEqual([]);
    // Those of protocols and of conversations need a client, or the id of something that only their clients make; some need
    // a browser, a retry a run that has failed.
    expect(marked).toBeLessThan(95);
  }, 180_000);
});

describe.each([
  { app: "npm start", pages: PAGES_OF_START, worker: () => started },
  { app: "the pages' own code", pages: PAGES_WITH_AN_APP, worker: () => pagesApp },
])("with the Worker of $app", ({ pages, worker }) => {
  it.each(pages)(
    "the commands of %s work, in their order",
    async (page) => {
      const shell = shellOf(worker(), page.replaceAll(/\W/g, "-"));
      for (const [index, yaml] of blocksOf(`${root}/${page}`, "yaml").entries())
        writeFileSync(`${shell.cwd}/${index === 0 ? "mailroom" : `file-${index}`}.yaml`, yaml);
      const faults: string[] = [];
      for (const block of commandsOf(`${root}/${page}`)) {
        const { requests, output } = await runBlock(block, shell);
        const problems = requests.map(({ status }) => status).filter((status) => status >= 400);
        const expected = documentedProblems(block);
        if (requests.length === 0 || String(problems) !== String(expected)) faults.push(output);
      }
      expect(faults).toEqual([]);
    },
    180_000,
  );
});

/** A folder of its own, with what the repository's root has. */
function shellOf(dev: WranglerDev | undefined, name: string): ShellOptions {
  const cwd = `${temporary}/${name}`;
  mkdirSync(cwd, { recursive: true });
  for (const file of ["examples", "docs", "README.md"])
    symlinkSync(`${root}/${file}`, `${cwd}/${file}`);
  return { cwd, url: dev?.url ?? "" };
}

function unescaped(html: string): string {
  return html
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** A judge that is content, and a poet. */
function answerAsModel({ body }: { readonly body: unknown }): { readonly text: string } {
  const asked = JSON.stringify(body);
  if (asked.includes("suggestions"))
    return { text: '{"suggestions":["Count the syllables"],"quality":8,"finalSummary":"Better."}' };
  if (asked.includes("quality")) return { text: '{"quality":7}' };
  return { text: "Rain on the window." };
}
