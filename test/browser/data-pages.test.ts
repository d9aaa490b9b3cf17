// Memory, knowledge and chat before the real Worker, in Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { TEXT } from "./samples.ts";

const path = chromiumPath();

const TALKER = {
  chatLlm: { model: "openai/gpt-5-mini", stream: true },
  stream: true,
  agents: { teller: { role: "Teller", goal: "Tell stories", backstory: "Old" } },
  tasks: [
    { name: "story", description: "Tell a story", expectedOutput: "A story", agent: "teller" },
  ],
};

const QUESTION = "Tell me a story";
const SHORT_QUESTION = "Tell me a short one";
const RETURNS = "Goods can be sent back within 30 days.\n\nA refund takes five working days.\n";

describe.runIf(path !== undefined)("the console's pages of memory, knowledge and chats", () => {
  let world: ConsoleWorld;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModelServer({
      // The chat's own model is first asked what the crew is for.
      reply: ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes(SHORT_QUESTION)) return { text: "There was a harbour." };
        return last.includes(QUESTION)
          ? { text: TEXT, pieceDelayMs: 250 }
          : { text: '{"crew":"It tells stories.","inputs":{}}' };
      },
    });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
      EMBEDDER: "offline/hash-embed",
    });
    await fetch(`${world.url}/crews/talker`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(TALKER),
    });
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("teaches on an empty page, and saves a memory by hand (CO23)", async () => {
    const page = await world.open("/memory");
    await page.getByText("No memories yet").waitFor();
    await page.getByRole("button", { name: "Save a memory" }).click();
    await page.getByLabel("Text").fill("Ana prefers green tea");
    await page.getByRole("textbox", { name: "Scope" }).fill("/customers/ana");
    await page.getByLabel("Importance, 0 to 1").fill("0.5");
    await page.getByLabel("Categories").fill("taste");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("[data-memory]").getByText("Ana prefers green tea").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("opens the tree branch by branch, and the parts of a recalled score add up to it (CO23)", async () => {
    for (const [content, scope] of [
      ["Ben prefers coffee", "/customers/ben/drinks/hot/morning"],
      ["Ben pays by invoice", "/customers/ben"],
    ])
      await world.json("/memory", { content, scope, importance: 0.7, categories: ["taste"] });
    const page = await world.open("/memory");
    const tree = page.getByRole("navigation", { name: "Scopes" });
    for (const below of ["/customers", "/customers/ben", "/customers/ben/drinks"])
      await tree.getByRole("button", { name: `Scopes below ${below}`, exact: true }).click();
    await tree.getByRole("link", { name: "hot" }).click();
    await page.waitForURL(/scope=/);
    await page.locator("[data-memory]").getByText("Ben prefers coffee").waitFor();
    expect(await page.locator("[data-memory]").count()).toBe(1);
    await tree.getByRole("link", { name: "Everything" }).click();
    await page.getByLabel("Question").fill("What does Ben drink, coffee?");
    await page.getByRole("button", { name: "Recall" }).click();
    const first = page.locator("[data-match]").first();
    await first.getByText("Ben prefers coffee").waitFor();
    const parts = await first
      .locator("[data-part]")
      .evaluateAll((all) => all.map((part) => Number(part.getAttribute("data-value"))));
    const score = Number(await first.locator("[data-score]").getAttribute("data-score"));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 6);
    await page.context().close();
  });

  it("edits, moves and forgets a memory, with the number of forgotten ones (CO23)", async () => {
    const page = await world.open("/memory?scope=%2Fcustomers%2Fben");
    const invoice = page.locator("[data-memory]").filter({ hasText: "invoice" });
    await invoice.getByRole("button", { name: "Edit or move" }).click();
    await page.getByLabel("Text").fill("Ben pays by card");
    await page.getByRole("textbox", { name: "Scope" }).fill("/customers/ben/money");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const card = page.locator("[data-memory]").filter({ hasText: "Ben pays by card" });
    await card.getByText("/customers/ben/money").waitFor();
    await page.getByRole("button", { name: "Forget this scope" }).click();
    const dialog = page.getByRole("dialog", { name: "Forget 2 memories?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Forget this scope" }).click();
    await dialog.getByRole("button", { name: "Forget 2 memories" }).click();
    await page.getByText("No memories here").waitFor();
    const { items } = await world.json<Listed>("/memory/records");
    expect(items.map(({ content }) => content)).toEqual(["Ana prefers green tea"]);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("saves to a person's memory, which requests without the person do not see", async () => {
    const page = await world.open("/memory");
    await page.getByRole("button", { name: "Save a memory" }).click();
    await page.getByLabel("Text").fill("Anna cannot eat nuts");
    await page.getByText("Private: without a source, only administrators see it").waitFor();
    await page.getByLabel("Person").fill("anna");
    await page.getByLabel("Importance, 0 to 1").fill("0.9");
    await page.getByLabel("Categories").fill("health");
    await page.getByRole("textbox", { name: "Scope" }).fill("/diet");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const row = page.locator("[data-memory]").filter({ hasText: "cannot eat nuts" });
    await row.getByText("/person/anna/diet").waitFor();
    await row.getByText("private", { exact: true }).waitFor();
    const contents = async (query: string) =>
      (await world.json<Listed>(`/memory/records${query}`)).items.map(({ content }) => content);
    expect(await contents("")).not.toContain("Anna cannot eat nuts");
    expect(await contents("?person=anna")).toEqual(["Anna cannot eat nuts"]);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("shows the progress of vectors that are made for another embedder", async () => {
    const page = await world.open("/memory");
    let missing = 430;
    await page.route("**/memory/index", (route) =>
      route.fulfill({
        json: { embedder: "test/other", records: 1200, missing, reindexing: missing > 0 },
      }),
    );
    await page.reload();
    await page.getByText("Vectors are being made for test/other: 770 of 1,200").waitFor();
    missing = 0;
    const region = page.getByRole("region", { name: "Vector index" });
    await region.waitFor({ state: "detached" });
    expect(await region.count()).toBe(0);
    await page.context().close();
  });

  it("takes five files, one of them broken, and shows each outcome, also after a reload (CO24)", async () => {
    const page = await world.open("/knowledge/shop");
    await page.getByText("This collection is empty").waitFor();
    await drop(page, [
      { name: "returns.md", type: "text/markdown", text: RETURNS },
      { name: "prices.csv", type: "text/csv", text: "tea,price\ngreen,4.20\nblack,3.90\n" },
      { name: "menu", type: "text/html", text: "<nav>Home</nav><main><p>Green tea</p></main>" },
      { name: "broken.pdf", type: "application/pdf", text: "%PDF-1.7 this is none" },
      {
        name: "cups.jsonl",
        type: "application/jsonl",
        text: '{"cup":"red"}\n{"cup":"blue"}\n{"cup":\n',
      },
    ]);
    const added = (name: string) => page.locator(`[data-addition="${name}"]`);
    await added("returns.md").getByText("Ready").waitFor();
    await added("prices.csv").getByText("Ready").waitFor();
    await added("menu").getByText("Ready").waitFor();
    await added("broken.pdf").getByText("Failed").waitFor();
    await added("cups.jsonl").getByText("Ready").waitFor();
    await page.reload();
    await added("broken.pdf").getByText("Failed").waitFor();
    await page.locator('[data-document="returns.md"]').getByText("ready").waitFor();
    await page.getByRole("link", { name: "cups.jsonl" }).click();
    await page
      .locator('[data-loss="malformed"]')
      .getByText('1 malformed part, in line 3: {"cup":')
      .waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "menu", exact: true }).click();
    await page.locator('[data-loss="navigation"]').waitFor();
    expect(await page.getByText("<main>").count()).toBe(0);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("goes on with the progress of a document after a reload (CO24)", async () => {
    const lines = Array.from(
      { length: 4000 },
      (_, line) => `Rule ${line}: the box ${line} holds tea.`,
    );
    const page = await world.open("/knowledge/shop");
    await page.locator('[data-document="returns.md"]').waitFor();
    await drop(page, [{ name: "rules.txt", type: "text/plain", text: lines.join("\n\n") }]);
    const rules = page.locator('[data-addition="rules.txt"]');
    await rules.getByRole("link", { name: "Run" }).waitFor();
    await page.reload();
    await rules.getByText("Ready").waitFor({ timeout: 60_000 });
    await page.locator('[data-document="rules.txt"]').getByText("ready").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("finds a passage and shows it in its document, and deletes a document once its name is typed (CO24)", async () => {
    const page = await world.open("/knowledge/shop");
    await page.getByLabel("Question").fill("How long can goods be sent back?");
    await page.getByRole("button", { name: "Find" }).click();
    const found = page.locator('[data-snippet="returns.md"]').first();
    await found.getByText("within 30 days").waitFor();
    await found.getByText("meaning").waitFor();
    await found.getByRole("link", { name: "returns.md" }).click();
    await page.locator("[data-found=true]").getByText("within 30 days").waitFor();
    await page.getByRole("button", { name: "Delete returns.md" }).click();
    const sure = page.getByRole("button", { name: "Delete the document", exact: true });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel("Type returns.md to go on").fill("returns.md");
    await sure.click();
    await page.locator('[data-document="returns.md"]').waitFor({ state: "detached" });
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("talks with a flow: its questions and approvals are forms in place, also after a reload (CO22)", async () => {
    const page = await world.open("/chat/flow/tea-shop");
    await attach(page, { name: "list.txt", type: "text/plain", text: "green tea" });
    await say(page, "I would like to order tea");
    await page.waitForURL(/tea-shop\/.+/);
    await page.getByText("How many packets").waitFor();
    await page.locator(".bubble").getByText("list.txt").waitFor();
    await page.reload();
    await page.getByRole("button", { name: /5/ }).first().click();
    await bubbles(page, "assistant").getByText("5 packets").waitFor();
    await say(page, "I want a refund");
    await page.getByText("Is that all right?").waitFor();
    await page.getByRole("button", { name: /approved/ }).click();
    await bubbles(page, "assistant").getByText("on its way back").waitFor();
    await page.locator("[data-work]").last().locator("summary").click();
    await page.getByRole("link", { name: "Open the run" }).last().waitFor();
    await page.getByRole("link", { name: "I would like to order tea" }).waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("chats with a crew, which gets the attached files (CO22)", async () => {
    const page = await world.open("/chat/crew/talker");
    await attach(page, { name: "harbour.txt", type: "text/plain", text: "Ships and lights" });
    await say(page, SHORT_QUESTION);
    await page.locator(".bubble.user").getByText("harbour.txt").waitFor();
    await bubbles(page, "assistant").getByText("There was a harbour.").waitFor({ timeout: 30_000 });
    expect(JSON.stringify(models.calls)).toContain(
      "which the crew gets when you call it: harbour.txt",
    );
    await page.reload();
    await page.locator(".bubble.user").getByText("harbour.txt").waitFor();
    await bubbles(page, "assistant").getByText("There was a harbour.").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("stops a turn, and asks another question in place of an earlier one (CO22)", async () => {
    const page = await world.open("/chat/flow/tea-shop");
    await say(page, "I would like to order tea");
    await page.getByText("How many packets").waitFor();
    await page.getByRole("button", { name: /20/ }).first().click();
    await bubbles(page, "assistant").getByText("20 packets").waitFor();
    await say(page, "Another order, please");
    await page.getByText("How many packets").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("This turn was stopped").waitFor();
    const before = page.url();
    await bubbles(page, "user").last().getByRole("button", { name: "Edit and ask again" }).click();
    await page.getByLabel("Your message").fill("I want my money back");
    await page.getByRole("button", { name: "Ask again", exact: true }).click();
    await page.waitForURL((url) => url.href !== before);
    await page.getByText("A refund for 20 packets").waitFor(); // the state of that moment is there
    await bubbles(page, "assistant").getByText("20 packets").waitFor();
    expect(await bubbles(page, "user").count()).toBe(2);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("chats with a group: each message has its speaker, and a question can be forked (CO22)", async () => {
    const page = await world.open("/chat/conversation/incident-review");
    await say(page, "Review this: 09:00 ERROR checkout timed out");
    await page.getByText("This run asks").waitFor({ timeout: 30_000 });
    await page.locator(".bubble.assistant .who").first().waitFor();
    const before = page.url();
    await bubbles(page, "user").first().getByRole("button", { name: "Edit and ask again" }).click();
    await page.getByLabel("Your message").fill("Review this: 10:00 ERROR disk full");
    await page.getByRole("button", { name: "Ask again", exact: true }).click();
    await page.waitForURL((url) => url.href !== before);
    await bubbles(page, "user").getByText("disk full").waitFor();
    await page.getByText("This run asks").waitFor({ timeout: 30_000 });
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});

type Listed = { readonly items: readonly { readonly content: string }[] };
type Sample = { readonly name: string; readonly type: string; readonly text: string };

/** Drops files on the page's field for them, as a reader does. */
async function drop(page: Page, files: readonly Sample[]): Promise<void> {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, type, text } of all) transfer.items.add(new File([text], name, { type }));
    return transfer;
  }, files);
  await page.locator(".drop").dispatchEvent("drop", { dataTransfer: data });
}

async function attach(page: Page, { name, type, text }: Sample): Promise<void> {
  await page
    .locator(".composer input[type=file]")
    .setInputFiles({ name, mimeType: type, buffer: Buffer.from(text) });
  await page.getByRole("list", { name: "Files" }).getByText(name).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

const bubbles = (page: Page, role: "user" | "assistant") =>
  page.locator(`.bubble[data-role=${role}]`);
