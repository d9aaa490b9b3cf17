// The tab of a run that opens first, before the real Worker, in Chromium: what was asked, what came of it, and the
// messages of a conversation.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import {
  startModelServer,
  type ModelServer,
  type ServedReply,
  type ServedRequest,
} from "../support/model-server.ts";
import { SLOW_CREW, TEXT, TOOL_CREW } from "./samples.ts";

const path = chromiumPath();
type Row = { readonly id: string; readonly status: string };
type Seen = { readonly sawStatus: (status: string) => Promise<void> };

const LETTER = "Dear Maya,\n\nyour teapot arrives on *Thursday*.\n\nKind regards\nThe shop";
const TALK = {
  agents: {
    maya: { human: true },
    clerk: { llm: "openai/gpt-5-mini", tools: ["calculator"], afterWork: "maya" },
  },
  pattern: { kind: "default", initialAgent: "clerk" },
};
const FAILED_CODE = "exitcode: 1 (execution failed)\nCode output: NameError: x";
const LONG_TALK = {
  agents: {
    ann: { llm: false, defaultAutoReply: "Run this:\n```python\nx\n```" },
    bob: { llm: false, defaultAutoReply: FAILED_CODE },
  },
  pattern: "round_robin",
  maxRounds: 150,
};

describe.runIf(path !== undefined)("the overview of a run", () => {
  let world: ConsoleWorld;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModelServer({ reply });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    await world.put("/crews/slow", SLOW_CREW);
    await world.put("/crews/sums", TOOL_CREW);
    await world.put("/crews/letters", {
      agents: { writer: { role: "Writer", goal: "Write", backstory: "A shop" } },
      tasks: [
        { name: "draft", description: "Answer {letter}", expectedOutput: "A letter" },
        { name: "facts", description: "List facts of {letter}", expectedOutput: "Facts" },
      ].map((task) => ({ ...task, agent: "writer" })),
    });
    await world.put("/conversations/talk", TALK);
    await world.put("/conversations/long-talk", LONG_TALK);
  });

  beforeEach(() => {
    world.faults.length = 0;
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("has the inputs, the answer with its lines, and each task's output, beside the timeline", async () => {
    const { id } = await kickoff("/crews/letters", {
      inputs: { letter: "Where is my order?\nMaya" },
    });
    await world.ended(id);
    const page = await wide(`/runs/${id}`);
    await region(page, "Asked").getByText("Where is my order?").waitFor();
    await region(page, "Answer").getByText("Order 1204 is on its way").waitFor();
    const draft = region(page, "Task draft");
    await draft.locator("em", { hasText: "Thursday" }).waitFor();
    expect(await draft.locator(".markdown").innerText()).toContain("Kind regards\nThe shop");
    await region(page, "Task facts").getByText("Its output is the answer above.").waitFor();
    const answer = await region(page, "Asked").boundingBox();
    const timeline = await page.getByRole("treegrid").boundingBox();
    expect(timeline?.x).toBeGreaterThan((answer?.x ?? 0) + (answer?.width ?? 0));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(async () => (await page.getByRole("treegrid").boundingBox())?.x)
      .toBeLessThan(30);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("has the inspector in the place of the answer, and the answer again after it", async () => {
    const { id } = await kickoff("/crews/sums", { inputs: {} });
    await world.ended(id);
    const page = await wide(`/runs/${id}`);
    const row = page.getByRole("treegrid").locator("[data-key]").first();
    await region(page, "Answer").waitFor();
    const before = await row.boundingBox();
    await row.click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.waitFor();
    expect(await region(page, "Answer").isVisible()).toBe(false);
    expect((await row.boundingBox())?.x).toBe(before?.x);
    await inspector.getByRole("button", { name: "Close the inspector" }).click();
    await region(page, "Answer").waitFor();
    await page.context().close();
  });

  it("streams the words of the task that runs", async () => {
    const { id } = await kickoff("/crews/slow", { inputs: {} });
    const page = await wide(`/runs/${id}`);
    const said = region(page, "Task story").locator("[data-speaking] .value");
    await said.getByText("Once").waitFor();
    const before = (await said.innerText()).length;
    await expect.poll(async () => (await said.innerText()).length).toBeGreaterThan(before);
    await page.context().close();
  });

  it("has the messages of a conversation: tools, people and agents, each with its author, live", async () => {
    const { id } = await kickoff("/conversations/talk", { message: "What is 40 + 2?" });
    const page = await wide(`/runs/${id}`);
    const transcript = region(page, "Transcript");
    await transcript.getByText("Result of calculator").waitFor();
    await transcript.getByText("The sum is 42.").waitFor();
    const form = page.locator(".wait-form");
    await form.getByLabel("You speak as maya").waitFor();
    expect(await form.getByRole("button", { name: /Approve|Reject/ }).count()).toBe(0);
    await form.getByLabel("You speak as maya").fill("Thank you,\nMaya");
    await form.getByRole("button", { name: "Send", exact: true }).click();
    await transcript.locator(".said", { hasText: "Thank you," }).waitFor();
    await expect
      .poll(() => authors(page))
      .toEqual(["maya", "clerk", "Tools", "clerk", "maya", "clerk"]);
    const texts = await transcript.locator(".said-body").allInnerTexts();
    expect(texts.filter((text) => text.includes("What is 40 + 2?"))).toHaveLength(1);
    // The next question of the same conversation: nothing is said, and it goes on.
    await form.getByRole("button", { name: "Say nothing" }).click();
    await expect.poll(() => transcript.locator(".said").count()).toBeGreaterThan(6);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("shows a waiting run as waiting from its first look on, also after a reload", async () => {
    const { id } = await kickoff("/conversations/talk", { message: "What is 40 + 2?" });
    await expect
      .poll(async () => (await world.json<Row>(`/runs/${id}`)).status, { timeout: 30_000 })
      .toBe("waiting");
    const context = await world.browser.newContext();
    const seen: string[] = [];
    await context.exposeFunction("sawStatus", (status: string) => void seen.push(status));
    await context.addInitScript(() => {
      const look = (): void => {
        const status = document.querySelector(".run-facts .status")?.textContent ?? "";
        if (status !== "") void (globalThis as never as Seen).sawStatus(status);
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true });
    });
    const page = await world.open(`/runs/${id}`, context);
    await page.locator('[data-run-connection="live"]').waitFor();
    await page.locator(".wait-form").waitFor();
    await page.reload();
    await page.locator('[data-run-connection="live"]').waitFor();
    await page.locator(".wait-form").waitFor();
    await page.waitForTimeout(1000); // after the refresh that follows the first events
    expect(new Set(seen)).toEqual(new Set(["Waiting"]));
    await context.close();
  });

  it("shows the first and the newest messages of a long conversation, and the others by a click", async () => {
    const { id } = await kickoff("/conversations/long-talk", { message: "Talk for long" });
    await world.ended(id);
    const page = await wide(`/runs/${id}`);
    const said = region(page, "Transcript").locator("[data-message]");
    await region(page, "Transcript").getByText("150 messages").waitFor();
    expect(await said.count()).toBe(51);
    expect(await said.first().innerText()).toContain("Talk for long");
    await page.getByText("Code: failed, exit code 1").first().waitFor();
    await page.getByRole("button", { name: "50 earlier messages" }).click();
    await expect.poll(() => said.count()).toBe(101);
    await page.getByRole("button", { name: "49 earlier messages" }).click();
    const places = await said.evaluateAll((all) =>
      all.map((each) => Number(each.getAttribute("data-message"))),
    );
    expect(places).toEqual(Array.from({ length: 150 }, (_, index) => index));
    await page.context().close();
  });

  it("marks the rows that a fork took over, without times", async () => {
    const { id } = await kickoff("/crews/sums", { inputs: {} });
    await world.ended(id);
    const fork = await world.json<Row>(`/runs/${id}/fork`, { fromTask: "tell" });
    await world.ended(fork.id);
    const page = await wide(`/runs/${fork.id}?tab=timeline`);
    const row = (key: string) => page.locator(`[data-key="${key}"]`);
    await row("task:sum").getByText("Taken over", { exact: true }).waitFor();
    await row("task:sum")
      .getByText(`from ${id.slice(0, 8)}`)
      .waitFor();
    expect(await row("task:sum").locator(".bar").count()).toBe(0);
    expect(await row("task:tell").locator(".bar").count()).toBe(1);
    await page.context().close();
  });

  const kickoff = (target: string, body: object) => world.json<Row>(`${target}/kickoff`, body);

  async function wide(address: string): Promise<Page> {
    const context = await world.browser.newContext({ viewport: { width: 1440, height: 900 } });
    return world.open(address, context);
  }
});

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const authors = (page: Page) => page.locator(".said-head strong").allInnerTexts();

function reply({ body, messages }: ServedRequest): ServedReply | string {
  const asked = JSON.stringify(messages);
  if (asked.includes("Tell a story") || asked.includes("Tell the end"))
    return { text: TEXT, pieceDelayMs: 100 };
  if (asked.includes("List facts of")) return "Order 1204 is on its way";
  if (asked.includes("Answer Where is my order")) return LETTER;
  const tools = body["tools"];
  if (Array.isArray(tools) && tools.length > 0)
    return messages.some(({ role }) => role === "tool")
      ? "The sum is 42."
      : { toolCalls: [{ name: "calculator", arguments: { expression: "40 + 2" } }] };
  return "It was told.";
}
