// Triggers, usage and files of runs, in Chromium before the real Worker.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { RELEASE, SLOW_CREW, TEXT } from "./samples.ts";

const path = chromiumPath();
type Run = { readonly id: string; readonly status: string };
type Spent = {
  readonly usage: { readonly costUsd: number; readonly totalTokens: number };
};

describe.runIf(path !== undefined)("operations", () => {
  let world: ConsoleWorld;
  let models: ModelServer;
  const ids: string[] = [];

  beforeAll(async () => {
    models = await startModelServer({
      reply: () => ({ text: TEXT, promptTokens: 1000, completionTokens: 500 }),
    });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    await world.put("/crews/teller", SLOW_CREW);
    for (let index = 0; index < 3; index++)
      ids.push((await world.json<Run>("/crews/teller/kickoff", { inputs: {} })).id);
    ids.push((await world.json<Run>("/crews/release-notes/kickoff", { inputs: RELEASE })).id);
    await Promise.all(ids.map((id) => world.ended(id)));
  }, 240_000);

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("makes a schedule, shows its cron in words and its times in two zones, and runs it now (CO25)", async () => {
    const context = await world.browser.newContext({ timezoneId: "America/New_York" });
    const page = await world.open("/triggers", context);
    await page.getByRole("button", { name: "New schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("morning");
    await dialog.getByLabel("Cron").fill("61 * * * *");
    await dialog.getByLabel("Time zone").fill("Asia/Tokyo");
    await dialog.getByLabel("Starts").selectOption("crew release-notes");
    await dialog.getByLabel("Product").fill("Harbour");
    await dialog.getByLabel("Version").fill("2");
    await dialog.getByLabel("Log").fill("8f3c1a2 feat: search");
    await dialog.getByRole("button", { name: "Create the schedule" }).click();
    await dialog.locator(".fault", { hasText: "minute" }).waitFor(); // at the field
    await dialog.getByLabel("Cron").fill("30 7 * * 1-5");
    await dialog.getByText("At 07:30, Monday through Friday").waitFor();
    await dialog.getByRole("button", { name: "Create the schedule" }).click();
    const schedule = page.getByRole("region", { name: "Schedule morning" });
    await schedule.getByText("At 07:30, Monday through Friday").waitFor();
    const times = schedule.getByRole("table", { name: "Next times" });
    expect(await times.getByRole("columnheader").allInnerTexts()).toEqual([
      "In",
      "Asia/Tokyo",
      "America/New_York (here)",
    ]);
    expect(await times.getByRole("row").count()).toBe(6);
    expect(await times.getByRole("row").nth(1).innerText()).toMatch(/07:30[^]*1[78]:30/);

    await schedule.getByRole("button", { name: "Run now" }).click();
    await schedule.getByText("by hand").waitFor();
    await schedule.getByRole("button", { name: "Pause" }).click();
    await schedule.getByText("No run starts while it is paused.").waitFor();
    await schedule.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the schedule" }).click();
    await page.getByRole("link", { name: /morning/ }).waitFor({ state: "detached" });
    expect(world.faults).toEqual([]);
    await context.close();
  });

  it("makes a webhook with inputs clicked in a sample, tries it stage by stage, and shows a refused delivery (CO25)", async () => {
    const page = await world.open("/triggers");
    await page.getByRole("button", { name: "New webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("tickets");
    await dialog.getByLabel("Starts").selectOption("crew release-notes");
    await dialog.getByRole("button", { name: "Make one" }).click();
    await dialog.getByLabel("Place of input 3").focus();
    await dialog.getByText("Choose in a sample body").click();
    await dialog.getByRole("button", { name: /^title/ }).click();
    const names = await dialog
      .getByLabel(/^Name of input/)
      .evaluateAll((all) => all.map((input) => "value" in input && input.value));
    expect(new Set(names)).toEqual(new Set(["log", "product", "version"]));
    expect(await dialog.getByLabel("Place of input 3").inputValue()).toBe("/issue/title");
    for (const place of [1, 2]) await dialog.getByLabel(`Place of input ${place}`).fill("/action");
    await dialog.getByRole("button", { name: "Create the webhook" }).click();

    const hook = page.getByRole("region", { name: "Webhook tickets" });
    await hook.getByText(`${world.url}/hooks/tickets`).waitFor();
    await hook.getByRole("button", { name: "Send a test" }).click();
    const form = hook.getByRole("form", { name: "Send a test" });
    await form.getByLabel("Body").fill('{"action":"opened","issue":{"title":"a1 feat: x"}}');
    await form.getByRole("button", { name: "Send the test" }).click();
    const stages = form.getByRole("list", { name: "Stages of the test" }).getByRole("listitem");
    await stages.nth(3).getByRole("link").waitFor();
    expect((await stages.allInnerTexts()).map((text) => text.split("\n").slice(0, 2))).toEqual([
      ["Signature", "good"],
      ["Body", "good"],
      ["Inputs", "good"],
      ["Run", "good"],
    ]);

    await fetch(`${world.url}/hooks/tickets`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": "sha256=00" },
      body: "{}",
    });
    await page.reload();
    const deliveries = page.getByRole("table", { name: "Deliveries" });
    await deliveries.getByText("The signature does not fit the secret.").waitFor();
    await page.getByLabel("Outcome").selectOption("refused");
    await page.waitForURL(/outcome=refused/);
    await expect.poll(() => deliveries.getByRole("row").count()).toBe(2);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("adds up to the usage of the runs, also in the exported file (CO27)", async () => {
    await expect
      .poll(async () => (await summed("model")).tokens, { timeout: 20_000 })
      .toBeGreaterThan(0);
    const { items } = await world.json<{ items: readonly Run[] }>("/runs?limit=100");
    const runs = await Promise.all(items.map(({ id }) => world.json<Spent>(`/runs/${id}`)));
    const cost = runs.reduce((sum, { usage }) => sum + usage.costUsd, 0);
    const tokens = runs.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
    expect(cost).toBeGreaterThan(0);
    for (const group of ["name", "model", "kind"] as const) {
      const sums = await summed(group);
      expect(sums.tokens).toBe(tokens);
      expect(sums.shownTokens).toBe(tokens);
      expect(sums.cost).toBeCloseTo(cost, 9);
      expect(sums.shownCost).toBe(
        `$${cost < 0.01 ? Number(cost.toPrecision(4)) : cost.toFixed(2)}`,
      );
    }
    expect(world.faults).toEqual([]);
  });

  async function summed(group: string): Promise<{
    readonly cost: number;
    readonly tokens: number;
    readonly shownTokens: number;
    readonly shownCost: string;
  }> {
    const page = await world.open(`/usage?group=${group}&period=7d`);
    await page.locator("[data-sum=tokens]").waitFor();
    const shownTokens = Number(
      (await page.locator("[data-sum=tokens]").innerText()).replaceAll(",", ""),
    );
    const shownCost = await page.locator("[data-sum=cost]").innerText();
    const started = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const [head = "", ...rows] = readFileSync(await (await started).path(), "utf8")
      .trim()
      .split("\r\n");
    const names = head.split(",");
    const column = (name: string): number =>
      rows.reduce((sum, row) => sum + Number(row.split(",")[names.indexOf(name)]), 0);
    await page.context().close();
    return { cost: column("costUsd"), tokens: column("totalTokens"), shownTokens, shownCost };
  }

  it("recognises a broken, a foreign and a newer file (CO29)", async () => {
    const text = await (await fetch(`${world.url}/runs/${ids[0]}/export`)).text();
    const page = await world.open("/open");
    await drop(page, "notes.json", '{"name":"x"}');
    await page.getByRole("alert").getByText("notes.json: This is no export of a run").waitFor();
    await drop(page, "cut.json", text.slice(0, text.indexOf('"events":') - 40));
    await page.getByText("cut or damaged").waitFor();
    await page.getByRole("treegrid").getByRole("row").nth(2).waitFor();
    await drop(page, "newer.json", text.replace("edgecrew.run/1", "edgecrew.run/2"));
    await page.getByText("newer than this console").waitFor();
    await page.getByRole("treegrid").getByRole("row").nth(2).waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  // The last one: afterwards there is no server.
  it("shows a run from its file while the server is gone, in all views (CO29)", async () => {
    const [id = ""] = ids;
    const text = await (await fetch(`${world.url}/runs/${id}/export`)).text();
    const { items } = await world.json<{ items: readonly { key: string }[] }>(
      `/runs/${id}/journal`,
    );
    const page = await world.open("/open");
    await page.getByText("Drop an exported run here").waitFor();
    await page.waitForTimeout(1000); // the part for Markdown
    await world.kill();
    await drop(page, "run.json", text);
    const view = async (name: string): Promise<void> =>
      page.getByRole("navigation", { name: "Views of this run" }).getByText(name).click();
    await view("Timeline");
    await page.getByRole("treegrid").getByRole("row").nth(items.length).waitFor();
    await page.locator("[data-key]", { hasText: "gpt-5-mini" }).first().click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("Once upon a time").first().waitFor();
    expect(await inspector.getByRole("button", { name: /fork/i }).count()).toBe(0);
    await inspector.getByRole("button", { name: "Close the inspector" }).click();
    await view("Model calls");
    await page.locator(".message.assistant", { hasText: "Once upon a time" }).first().waitFor();
    await view("Picture");
    await page.getByRole("group", { name: "Picture of teller" }).waitFor();
    await view("Overview");
    await page.getByText("Once upon a time").first().waitFor();
    await view("Usage");
    await page.getByRole("heading", { name: "By model" }).waitFor();
    await view("Raw");
    await page.locator("strong", { hasText: "run_completed" }).waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});

async function drop(page: Page, name: string, text: string): Promise<void> {
  const file = `${mkdtempSync(`${tmpdir()}/edgecrew-open-`)}/${name}`;
  writeFileSync(file, text);
  await page.locator("input[type=file]").setInputFiles(file);
}
