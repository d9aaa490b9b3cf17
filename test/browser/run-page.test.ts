// The page of a run before the real Worker, in Chromium: live, over a crash, with forks, as a talk and as a picture.
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
import {
  AWAY_CREW,
  SHAKY_CREW,
  SIDE_CREW,
  SLOW_CREW,
  TEAM_CREW,
  TEXT,
  TOOL_CREW,
} from "./samples.ts";

const path = chromiumPath();
type Row = { readonly id: string; readonly status: string };
type Step = {
  readonly key: string;
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
};
type Call = {
  readonly request: { readonly messages: readonly { role: string; content: string }[] };
  readonly response?: { readonly text: string };
};

describe.runIf(path !== undefined)("the page of a run", () => {
  let world: ConsoleWorld;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModelServer({ reply });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    await store("slow", SLOW_CREW);
    await store("sums", TOOL_CREW);
    await store("side", SIDE_CREW);
    await store("team", TEAM_CREW);
    await store("shaky", SHAKY_CREW);
    await store("away", AWAY_CREW);
  });

  beforeEach(() => {
    world.faults.length = 0;
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("has the words again after a reload in mid-stream, and goes on with them (CO8)", async () => {
    const { id } = await start("slow");
    const page = await world.open(`/runs/${id}?tab=conversation`);
    const speaking = page.locator("[data-speaking]").first();
    await speaking.getByText("Once").waitFor();
    await expect.poll(async () => (await said(page)).length).toBeGreaterThan(40);
    const before = (await said(page)).length;
    await page.reload();
    await speaking.getByText("Once").waitFor();
    await expect.poll(async () => (await said(page)).length).toBeGreaterThan(before);
    const words = await said(page);
    expect(TEXT.startsWith(words)).toBe(true);
    await page.context().close();
  });

  it("goes on after the server was killed in mid-run, with each row once (CO7)", async () => {
    const { id } = await start("slow");
    const page = await world.open(`/runs/${id}`);
    await page.locator('[data-run-connection="live"]').waitFor();
    await page.getByRole("treegrid").getByRole("row").nth(2).waitFor();
    await world.kill();
    await page.locator("[data-run-connection=retrying]").waitFor();
    await world.serveAgain();
    await page.getByText("Completed").first().waitFor({ timeout: 90_000 });
    await expect.poll(() => shownKeys(page)).toEqual(await journalKeys(id));
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("sends a message to the active agents, which survives the server's end and is seen", async () => {
    const { id } = await start("slow");
    const page = await world.open(`/runs/${id}`);
    const form = page.getByRole("region", { name: "Messages to the agents" });
    await page.getByLabel("Write to the active agents").fill("A short story, please.");
    await page.getByRole("button", { name: "Send" }).click();
    await form.getByText("not seen yet").waitFor();
    await world.kill();
    await world.serveAgain();
    await form.getByText("seen", { exact: true }).waitFor({ timeout: 60_000 });
    const { items } = await world.json<{ items: readonly object[] }>(`/runs/${id}/messages`);
    expect(items).toMatchObject([{ content: "A short story, please.", state: "delivered" }]);
    await page.getByText("Completed").first().waitFor({ timeout: 90_000 });
    expect(await page.getByLabel("Write to the active agents").count()).toBe(0);
    await page.context().close();
  });

  it("has the words right, each once, after the server was killed in mid-answer (CO8)", async () => {
    const { id } = await start("slow");
    const page = await world.open(`/runs/${id}?tab=conversation`);
    await page.locator("[data-speaking]").first().getByText("Once").waitFor();
    await expect.poll(async () => (await said(page)).length).toBeGreaterThan(60);
    await world.kill();
    await page.locator("[data-run-connection=retrying]").waitFor();
    await world.serveAgain();
    // Whatever is shown at any time is a beginning of what the model says.
    const wrong: string[] = [];
    const look = async (): Promise<boolean> => {
      const shown = await page.locator("[data-speaking] .value").allInnerTexts();
      wrong.push(...shown.filter((text) => !TEXT.startsWith(text.trim())));
      return (await page.locator(".run-facts").getByText("Completed").count()) > 0;
    };
    await expect.poll(look, { timeout: 110_000, interval: 100 }).toBe(true);
    expect(wrong).toEqual([]);
    const answers = page.locator(".message.assistant");
    await expect
      .poll(async () => (await answers.allInnerTexts()).map((text) => squeezed(text)))
      .toEqual([`Agent ${TEXT.trim()}`, `Agent ${TEXT.trim()}`]);
    const cutOff = (await journal(id)).find(({ attempt }) => attempt > 1)?.key ?? "";
    await page.goto(`${world.url}/console/runs/${id}?step=${encodeURIComponent(cutOff)}`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("cut off by a crash").waitFor();
    await page.context().close();
  }, 180_000);

  it("opens the children of a batch in its own tree (CO6)", async () => {
    const { id } = await world.json<Row>("/crews/sums/kickoff-for-each", { inputs: [{}, {}] });
    await ended(id);
    const page = await world.open(`/runs/${id}`);
    const grid = page.getByRole("treegrid");
    const child = grid.locator('[data-key]:has(.badge:text-is("run"))').first();
    await child.waitFor();
    expect(await grid.locator("[data-run]").count()).toBe(0);
    await child.focus();
    await page.keyboard.press("ArrowRight");
    const inChild = grid.locator('[data-run][data-key="task:tell"]');
    await inChild.waitFor();
    const childId = (await inChild.getAttribute("data-run")) ?? "";
    await expect
      .poll(() => grid.locator("[data-run]").count())
      .toBeGreaterThanOrEqual((await journal(childId)).length);
    await inChild.click();
    await page.waitForURL((url) => url.pathname.endsWith(childId));
    await page.getByRole("complementary", { name: "Inspector" }).getByText("task:tell").waitFor();
    await page.context().close();
  });

  it("shows the steps a fork takes over, and starts one with only the calls after the row (CO12)", async () => {
    const { id } = await finished("sums");
    const steps = await journal(id);
    const cut = steps.findIndex(({ key }) => key === "task:tell/turn:1/llm");
    const page = await world.open(`/runs/${id}?step=${encodeURIComponent("task:tell/turn:1/llm")}`);
    await page.getByRole("button", { name: "Fork from here" }).click();
    const dialog = page.getByRole("dialog");
    const done = steps.slice(0, cut).filter(({ state }) => state === "done").length;
    const text = await dialog.innerText();
    const rows = Number(/(\d+) rows? (?:is|are) taken over/.exec(text)?.[1]);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(done);
    expect(text).toContain("saves 2 model calls");
    const before = models.calls.length;
    await dialog.getByRole("button", { name: "Start the fork" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText("Completed").first().waitFor();
    expect(models.calls.length - before).toBe(1);
    const fork = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await journal(fork)).map(({ key }) => key)).toEqual(steps.map(({ key }) => key));
    await page.context().close();
  });

  it("forks with an edited result of a tool, once it is JSON again, and the next prompt holds it (CO13)", async () => {
    const { id } = await finished("sums");
    const tool = (await journal(id)).find(({ kind }) => kind === "tool")?.key ?? "";
    const answer = encodeURIComponent("task:sum/turn:1/llm");
    const page = await world.open(`/runs/${id}?step=${answer}`);
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("Result");
    const send = dialog.getByRole("button", { name: "Start the fork" });
    await page.getByRole("button", { name: "Edit result and fork" }).click();
    await field.fill("{");
    await dialog.getByText("This is no JSON").waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.goto(`${world.url}/console/runs/${id}?step=${encodeURIComponent(tool)}`);
    await page.getByRole("button", { name: "Edit result and fork" }).click();
    const whole = await field.inputValue();
    await field.fill(whole.replaceAll("42", "4711"));
    await send.click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText("Completed").first().waitFor();
    expect(JSON.stringify(models.calls.at(-2)?.messages)).toContain("4711");
    await page.getByRole("main").getByRole("link", { name: "Compare" }).click();
    await page.getByRole("region", { name: "Rows" }).locator("[data-key]").first().waitFor();
    await page.context().close();
  });

  it("lists repeated steps with the reason, and failed webhook deliveries (CO6)", async () => {
    const { id } = await world.json<Row>("/crews/shaky/kickoff", {
      inputs: {},
      webhooks: [{ url: "http://127.0.0.1:9/hook?secret=1", events: ["task_completed"] }],
    });
    await ended(id);
    const page = await world.open(`/runs/${id}?tab=raw`);
    const attempts = page.getByRole("region", { name: "Attempts" });
    await attempts.getByText("task:try/turn:1/llm").click();
    await attempts.getByText("The model is out").waitFor();
    const webhooks = page.getByRole("table", { name: "Deliveries of webhooks" });
    await webhooks.getByText("127.0.0.1:9/hook", { exact: true }).waitFor();
    await webhooks.getByText("Tried again").waitFor();
    await attempts.getByRole("button", { name: "Open the step" }).click();
    await page
      .getByRole("complementary", { name: "Inspector" })
      .getByText("×2")
      .or(page.getByRole("complementary", { name: "Inspector" }).getByText("The model is out"))
      .first()
      .waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("offers two of the newest runs to compare without an address (CO14)", async () => {
    const one = await finished("sums");
    const other = await finished("sums");
    const page = await world.open("/compare");
    await page.getByLabel("Left run").selectOption(one.id);
    await page.getByLabel("Right run").selectOption(other.id);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("left") === one.id);
    const compared = page.getByRole("region", { name: "Rows" }).locator("summary");
    await compared.first().waitFor();
    expect(await compared.count()).toBeGreaterThan(0);
    await page.context().close();
  });

  it("names the model a run waits for, until the model is back (CO6)", async () => {
    isAway = true;
    const { id } = await start("away");
    await expect
      .poll(async () => (await world.json<Row>(`/runs/${id}`)).status, { timeout: 30_000 })
      .toBe("waiting");
    const page = await world.open(`/runs/${id}`);
    await page.getByText("A server is away; the run goes on by itself.").waitFor();
    await page.getByText(/waiting for openai\/gpt-5-mini since .*The model is out/).waitFor();
    isAway = false;
    await ended(id);
    await page.reload();
    await page.getByRole("treegrid").waitFor();
    expect(await page.getByText("A server is away").count()).toBe(0);
    await page.context().close();
  });

  it("compares a run with its fork by fingerprints, and loads a result only when a row is opened (CO14)", async () => {
    const { id } = await finished("sums");
    const tool = (await journal(id)).find(({ kind }) => kind === "tool")?.key ?? "";
    const { value } = await world.json<{ value: unknown }>(
      `/runs/${id}/step?key=${encodeURIComponent(tool)}`,
    );
    const fork = await world.json<Row>(`/runs/${id}/fork`, {
      edit: { key: tool, value: JSON.parse(JSON.stringify(value).replaceAll("42", "4711")) },
    });
    await ended(fork.id);
    const page = await world.open("/runs");
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (/\/step\?|values=/.test(request.url())) loaded.push(request.url());
    });
    await page.goto(`${world.url}/console/compare?left=${id}&right=${fork.id}`);
    const first = page.getByRole("region", { name: "Rows" }).locator("[data-key]").first();
    await first.waitFor();
    expect(await first.getAttribute("data-key")).toBe(tool);
    expect(loaded).toEqual([]);
    await page
      .getByText(/\d+ equal rows?/)
      .first()
      .waitFor();
    await first.locator("summary").click();
    await page.getByLabel("Difference").getByText("4711").first().waitFor();
    expect(loaded).toHaveLength(2);
    await page.context().close();
  });

  it("shows each call's request and response, as the API has them (CO15)", async () => {
    const { id } = await finished("sums");
    const page = await world.open(`/runs/${id}?tab=conversation`);
    const talk = page.locator(".talk").first();
    await talk.locator(".message.tool").first().waitFor();
    const call = await world.json<Call>(
      `/runs/${id}/call?key=${encodeURIComponent("task:sum/turn:2/llm")}`,
    );
    await talk.getByText("System text").first().click();
    for (const { role, content } of call.request.messages.filter((each) => each.content)) {
      const shown = await talk.locator(`.message.${role}`).allInnerTexts();
      expect(squeezed(shown.join(" "))).toContain(squeezed(content));
    }
    await talk.getByText("calculator").first().waitFor();
    expect(squeezed(await talk.innerText())).toContain(squeezed(call.response?.text ?? "-"));
    await page.context().close();
  });

  it("draws a flow with the states and counts of the run, and a click shows the rows of a node (CO16)", async () => {
    const { id } = await world.json<Row>("/flows/tighten/kickoff", {
      inputs: { text: TEXT.repeat(2), maxWords: 10, maxRounds: 2 },
    });
    await ended(id);
    const page = await world.open(`/runs/${id}?tab=graph`);
    const node = (name: string) => page.locator(".graph-node").filter({ hasText: name }).first();
    await node("rewrite").waitFor();
    expect(await node("rewrite").getAttribute("data-state")).toBe("done");
    await node("rewrite").getByText("×2").waitFor();
    await page.locator(".graph-node").first().focus();
    const begun = await page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    await page.keyboard.press("ArrowDown");
    const next = await page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    expect(next).not.toBe(begun);
    expect(next).not.toBeNull();
    await node("rewrite").locator("text").first().click(); // the agent that it calls is in its middle
    await page.waitForURL(/under=/);
    const keys = await shownKeys(page);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((key) => key?.includes("rewrite"))).toBe(true);
    await page.context().close();
  });

  it("marks the method of a flow waiting for a person (CO16)", async () => {
    const { id } = await world.json<Row>("/flows/announce/kickoff", {
      inputs: { log: "8f3c1a2 feat: find documents" },
    });
    const page = await world.open(`/runs/${id}?tab=graph`);
    const node = page.locator('.graph-node[data-state="waiting"]');
    await node.waitFor();
    expect(await node.textContent()).toContain("review");
    await page.context().close();
  });

  it("draws a crew with its tasks and their states (CO17)", async () => {
    const { id } = await finished("sums");
    const page = await world.open(`/runs/${id}?tab=graph`);
    const done = page.locator('.graph-node[data-state="done"]');
    await done.first().waitFor();
    const drawn = (await done.allTextContents()).join(" ");
    for (const each of ["sum", "tell", "Clerk"]) expect(drawn).toContain(each);
    await page.context().close();
  });

  it("draws parallel tasks, a manager, and delegated work (CO17)", async () => {
    type Drawn = {
      readonly nodes: readonly { readonly id: string; readonly kind: string }[];
      readonly edges: readonly { readonly from: string; readonly to: string }[];
    };
    const { id: side } = await finished("side");
    const beside = await world.json<Drawn>(`/runs/${side}/graph`);
    const follows = (from: string, to: string): boolean =>
      beside.edges.some((edge) => edge.from.endsWith(from) && edge.to.endsWith(to));
    expect(follows("left", "both") && follows("right", "both")).toBe(true);
    expect(follows("left", "right")).toBe(false);
    const page = await world.open(`/runs/${side}?tab=graph`);
    const box = async (name: string) =>
      (await page.locator(`.graph-node[data-node$="${name}"]`).boundingBox()) ?? { x: 0, y: 0 };
    await page.locator('.graph-node[data-node$="both"]').waitFor();
    const [left, right, both] = [await box("left"), await box("right"), await box("both")];
    expect(left.x === right.x || left.y === right.y).toBe(true);
    expect(both.x > left.x || both.y > left.y).toBe(true);
    const { id: team } = await finished("team");
    const planned = await world.json<Drawn>("/crews/team/graph");
    const done = await world.json<Drawn>(`/runs/${team}/graph`);
    expect(done.nodes.map(({ kind }) => kind)).toContain("manager");
    expect(done.nodes.length).toBeGreaterThan(planned.nodes.length);
    await page.goto(`${world.url}/console/runs/${team}?tab=graph`);
    for (const { id } of done.nodes) await page.locator(`[data-node="${id}"]`).waitFor();
    await page.context().close();
  });

  async function store(name: string, crew: unknown): Promise<void> {
    const { ok } = await fetch(`${world.url}/crews/${name}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(crew),
    });
    expect(ok).toBe(true);
  }
  const start = (crew: string) => world.json<Row>(`/crews/${crew}/kickoff`, { inputs: {} });
  async function ended(id: string): Promise<void> {
    await expect
      .poll(async () => (await world.json<Row>(`/runs/${id}`)).status, { timeout: 30_000 })
      .toBe("completed");
  }
  async function finished(crew: string): Promise<Row> {
    const run = await start(crew);
    await ended(run.id);
    return run;
  }
  const journal = async (id: string) =>
    (await world.json<{ items: readonly Step[] }>(`/runs/${id}/journal?limit=200`)).items;
  const journalKeys = async (id: string) =>
    (await journal(id)).map(({ key }) => key).toSorted(byText);
});

const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();
const said = async (page: Page): Promise<string> =>
  page.locator("[data-speaking] .value").first().innerText({ timeout: 5000 });
const shownKeys = async (page: Page) =>
  (
    await page
      .getByRole("treegrid")
      .locator("[data-key]")
      .evaluateAll((all) => all.map((row) => row.getAttribute("data-key")))
  ).toSorted(byText);
const byText = (one: string | null, other: string | null): number =>
  (one ?? "").localeCompare(other ?? "");

let tries = 0;
let isAway = false;

/** A story, slowly; for whoever has a calculator, its use and then the sum; for an editor, a text that is never short enough. */
function reply({ body, messages }: ServedRequest): ServedReply | string {
  if (JSON.stringify(messages).includes("Try shakily") && tries++ === 0)
    return { status: 503, error: "The model is out" };
  if (JSON.stringify(messages).includes("Try for long") && isAway)
    return { status: 503, error: "The model is out" };
  const tools = body["tools"];
  const hands = /"name":"([^"]*delegate[^"]*)"/i.exec(JSON.stringify(tools ?? []))?.[1];
  if (hands !== undefined && !messages.some(({ role }) => role === "tool"))
    return {
      toolCalls: [
        {
          name: hands,
          arguments: { task: "Tell the sum of 40 and 2", context: "None", coworker: "Teller" },
        },
      ],
    };
  if (Array.isArray(tools) && tools.length > 0)
    return messages.some(({ role }) => role === "tool")
      ? "The sum is there."
      : { toolCalls: [{ name: "calculator", arguments: { expression: "40 + 2" } }] };
  const asked = JSON.stringify(messages);
  if (asked.includes("Summarize the report")) return JSON.stringify({ text: TEXT });
  return asked.includes("sum of 40")
    ? "It was told."
    : { text: TEXT, pieceDelayMs: 150, promptTokens: 1000, completionTokens: 500 };
}
