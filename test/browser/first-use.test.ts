// The pages that a new user sees, before the Worker of `npm start` with its built-in model.
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { RELEASE } from "./samples.ts";

const path = chromiumPath();
type Row = { readonly id: string; readonly status: string };
type Waits = { readonly items: readonly { readonly key: string; readonly run: Row }[] };
type Steps = { readonly items: readonly { readonly kind: string; readonly key: string }[] };

describe.runIf(path !== undefined)("the first pages", () => {
  let world: ConsoleWorld;
  let release: string;
  let announced: string;

  /** Waits for a question of the run, other than the one before. */
  async function questionOf(id: string, before?: string): Promise<string> {
    for (let looks = 0; looks < 300; looks++) {
      const { items } = await world.json<Waits>("/waits?limit=50");
      const key = items.find(({ run }) => run.id === id)?.key;
      if (key !== undefined && key !== before) return key;
      await setTimeout(200);
    }
    throw new Error(`run ${id} asks nothing`);
  }

  beforeAll(async () => {
    world = await ConsoleWorld.start(path ?? "");
    const sample = new URL("../../examples/samples/announce.json", import.meta.url);
    const body = JSON.parse(readFileSync(sample, "utf8")) as unknown;
    announced = (await world.json<Row>("/flows/announce/kickoff", body)).id;
    release = (await world.json<Row>("/crews/release-notes/kickoff", { inputs: RELEASE })).id;
    await world.ended(release);
    const key = await questionOf(announced);
    await world.json(`/runs/${announced}/resume`, { key, value: "approve", feedback: "approve" });
    await questionOf(announced, key);
  });

  afterAll(async () => {
    await world?.stop();
  });

  it("draws a called crew inside its method and marks the way taken", async () => {
    const page = await world.open(`/runs/${announced}?tab=graph`);
    const box = async (node: string) => {
      const at = await page.locator(`[data-node$="${node}"] > rect`).first().boundingBox();
      return at ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    await page.locator('[data-node$="task:write"]').waitFor();
    const [draft, write, review] = [
      await box("method:draft"),
      await box("task:write"),
      await box("method:review"),
    ];
    expect(write.x).toBeGreaterThan(draft.x);
    expect(write.y + write.height).toBeLessThan(draft.y + draft.height);
    expect(review.y).toBeGreaterThan(draft.y + draft.height);
    const taken = page.locator(".graph-edge.taken");
    await expect.poll(() => taken.count()).toBe(3);
    const reached = page.locator('.graph-node.label[data-reached="true"]');
    expect(await reached.allTextContents()).toEqual([expect.stringContaining("approve")]);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("scrolls a picture that is wider than a phone", async () => {
    const context = await world.browser.newContext({ viewport: { width: 390, height: 780 } });
    const page = await world.open(`/runs/${announced}?tab=graph`, context);
    const scroll = page.locator(".graph-scroll");
    await scroll.locator("[data-node]").first().waitFor();
    const [inner, outer] = await scroll.evaluate((element) => [
      element.scrollWidth,
      element.clientWidth,
    ]);
    expect(inner).toBeGreaterThan(outer ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    expect(world.faults).toEqual([]);
    await context.close();
  });

  it.each(["/", "/crews/release-notes"])(
    "has charts of the last 14 days on %s",
    async (address) => {
      const page = await world.open(address);
      const trends = page.getByRole("region", { name: "Last 14 days" });
      for (const label of ["Runs that ended", "Average duration", "Tokens", "Cost"])
        await trends.getByRole("figure", { name: label }).waitFor();
      await trends
        .getByText(/\d+ completed/)
        .first()
        .waitFor({ state: "attached" });
      expect(world.faults).toEqual([]);
      await page.context().close();
    },
  );

  it("offers to start a run without scrolling, and shows each number once", async () => {
    const context = await world.browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await world.open("/", context);
    const start = page.getByRole("region", { name: "Start a run" });
    await start.getByRole("link", { name: "release-notes" }).waitFor();
    const { y, height } = (await start.boundingBox()) ?? { y: 900, height: 1 };
    expect(y + height).toBeLessThan(900);
    expect(await page.getByText("Running", { exact: true }).count()).toBe(1);
    expect(world.faults).toEqual([]);
    await context.close();
  });

  it("opens usage on tokens when the built-in model costs nothing, with rows that link to runs", async () => {
    const page = await world.open("/usage");
    await page.getByRole("heading", { name: "Tokens by day" }).waitFor();
    await page.getByRole("link", { name: "crew release-notes" }).first().click();
    await page.waitForURL(/kind=crew.*name=release-notes/);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it.each(["answer-a-letter", "release-notes", "support-reply"])(
    "duplicates the crew %s without a fault",
    async (name) => {
      const page = await world.open(`/crews/${name}`);
      await page.getByRole("link", { name: "Duplicate to edit" }).click();
      const faults = page.locator("section", {
        has: page.getByRole("heading", { name: "Faults" }),
      });
      await faults.getByText("None.").waitFor();
      await page.getByRole("group", { name: /^Picture of/ }).waitFor();
      expect(world.faults).toEqual([]);
      await page.context().close();
    },
  );

  it("filters runs as one types", async () => {
    const page = await world.open("/runs");
    await page.locator("[data-run]").first().waitFor();
    await page.getByLabel("Search runs").pressSequentially("nothing has this word");
    await page.getByText("No run fits these filters").waitFor();
    await page.getByLabel("Search runs").fill("");
    await page.locator("[data-run]").first().waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("edits the value in a tool's record, and compares the outputs of the fork by words", async () => {
    const { items } = await world.json<Steps>(`/runs/${release}/journal?limit=100`);
    const tool = items.find(({ kind }) => kind === "tool")?.key ?? "";
    const page = await world.open(`/runs/${release}?step=${encodeURIComponent(tool)}`);
    await page.getByRole("button", { name: "Edit result and fork" }).click();
    const field = page.getByLabel("Result", { exact: true });
    const text = await field.inputValue();
    expect(text).toMatch(/^\{\n {2}"/);
    await field.fill(JSON.stringify({ Fixes: ["the lighthouse shines again"] }));
    await page.getByRole("button", { name: "Start the fork" }).click();
    await page.waitForURL((url) => !url.pathname.includes(release));
    const fork = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(await world.ended(fork)).toBe("completed");
    const step = await world.json<{ readonly value: Record<string, unknown> }>(
      `/runs/${fork}/step?key=${encodeURIComponent(tool)}`,
    );
    expect(step.value).toMatchObject({ text: '{"Fixes":["the lighthouse shines again"]}' });
    await page.goto(`${world.url}/console/`);
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Compare" })
      .click();
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.goto(`${world.url}/console/compare?left=${release}&right=${fork}`);
    const outputs = page.getByRole("region", { name: "Outputs" });
    await outputs.getByText("the lighthouse shines again").first().waitFor();
    const rows = page.getByRole("region", { name: "Rows" });
    await rows.locator(`[data-key="${tool}"]`).getByText("taken over").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("names the fault of a cron expression", async () => {
    const page = await world.open("/triggers");
    await page.getByRole("button", { name: "New schedule" }).first().click();
    await page.getByLabel("Cron", { exact: true }).fill("61 9 * * *");
    await page.locator(".fault", { hasText: /minutes/i }).waitFor();
    expect(await page.getByLabel("Cron", { exact: true }).getAttribute("aria-invalid")).toBe(
      "true",
    );
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("ticks what a scope of a key includes, and asks for a name", async () => {
    const page = await world.open("/settings?tab=keys");
    const answer = page.getByRole("checkbox", { name: /^answer/ });
    await answer.waitFor();
    expect([await answer.isChecked(), await answer.isDisabled()]).toEqual([true, true]);
    await page.getByRole("checkbox", { name: /^run/ }).uncheck();
    expect([await answer.isChecked(), await answer.isDisabled()]).toEqual([false, false]);
    await page.getByRole("button", { name: "Make the key" }).click();
    expect(
      await page.getByLabel("Name", { exact: true }).evaluate((field) => field.matches(":invalid")),
    ).toBe(true);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("leads from an agent to a chat that names its partner and its model", async () => {
    const page = await world.open("/agents/clerk");
    await page.getByRole("link", { name: "Chat with clerk" }).click();
    const chat = page.getByRole("region", { name: "Chat with clerk" });
    await chat.getByText("Clerk of a tea shop").waitFor();
    await chat.getByText("offline/demo").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});
