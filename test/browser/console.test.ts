// The console before the real Worker, in Chromium.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { RELEASE, SLOW_CREW, TEXT } from "./samples.ts";

const path = chromiumPath();
type Row = { readonly id: string; readonly status: string; readonly name: string };
type Listed = { readonly items: readonly Row[] };

describe.runIf(path !== undefined)("the console", () => {
  let world: ConsoleWorld;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModelServer({
      reply: ({ messages }) => ({
        text: TEXT,
        pieceDelayMs: JSON.stringify(messages).includes("Tell stories") ? 150 : 0,
        promptTokens: 1000,
        completionTokens: 500,
      }),
    });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    await fetch(`${world.url}/crews/slow`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(SLOW_CREW),
    });
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("starts the first run with one click on a form with one missing input, and shows its output (CO1)", async () => {
    const page = await world.open("/");
    await page.getByText("No runs yet").waitFor();
    for (const [kind, name] of [
      ["Flows", "tighten"],
      ["Conversations", "incident-review"],
    ] as const)
      await page.getByRole("region", { name: kind }).getByText(name).first().waitFor();
    const card = page.getByRole("listitem").filter({ hasText: "release-notes" });
    await card.getByLabel("Log").fill(RELEASE.log);
    await card.getByRole("button", { name: "Start the run" }).click();
    await page.getByRole("heading", { name: "release-notes" }).waitFor();
    await page.getByText("Completed").first().waitFor();
    await page
      .getByRole("region", { name: "Answer" })
      .getByText("Once upon a time")
      .first()
      .waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("filters runs by chips in the address, kept by a reload and removed by the way back (CO4)", async () => {
    const page = await world.open("/runs");
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Completed", exact: true }).click();
    await page.waitForURL(/status=completed/);
    await page.reload();
    const chip = page.getByRole("button", { name: "Completed", exact: true });
    await chip.waitFor();
    expect(await chip.getAttribute("aria-pressed")).toBe("true");
    await page.goBack();
    await page.waitForURL(/\/runs$/);
    expect(await chip.getAttribute("aria-pressed")).toBe("false");
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await page.getByText("No run fits these filters").waitFor();
    await page.getByRole("link", { name: "Clear the filters" }).click();
    await rows(page).first().waitFor();
    await page.context().close();
  });

  it("keeps new runs above the list while one reads below (CO4)", async () => {
    for (let index = 0; index < 40; index++)
      await world.json("/crews/release-notes/kickoff", {
        inputs: { ...RELEASE, product: `p${index}` },
      });
    await expect
      .poll(
        async () => (await world.json<Listed>("/runs?limit=100&status=completed")).items.length,
        { timeout: 30_000 },
      )
      .toBeGreaterThan(40);
    const page = await world.open("/runs");
    await rows(page).first().waitFor();
    await page.waitForTimeout(4000); // the first look at what changes
    await page.getByRole("table", { name: "Runs" }).evaluate((element) => {
      element.scrollTop = 300;
    });
    const before = await rows(page).nth(6).getAttribute("data-run");
    const { id } = await world.json<Row>("/crews/release-notes/kickoff", { inputs: RELEASE });
    const fresh = page.getByRole("button", { name: "1 new" });
    await fresh.waitFor();
    expect(await rows(page).nth(6).getAttribute("data-run")).toBe(before);
    await fresh.click();
    await page.locator(`[data-run="${id}"]`).waitFor();
    await page.context().close();
  });

  it("shows a run live: rows, words as they come, tokens and the end (CO6)", async () => {
    const { id } = await world.json<Row>("/crews/slow/kickoff", { inputs: {} });
    const page = await world.open(`/runs/${id}?tab=conversation`);
    const speaking = page.locator("[data-speaking]");
    await speaking.getByText("Once").waitFor();
    const first = (await speaking.first().innerText()).length;
    await expect
      .poll(async () => (await speaking.first().innerText()).length)
      .toBeGreaterThan(first);
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("treegrid").getByRole("row").nth(2).waitFor();
    const before = Number(
      (await page.locator("[data-fact=tokens]").innerText()).replaceAll(",", ""),
    );
    await page.locator("[data-fact=cost]").getByText("$").waitFor({ timeout: 60_000 });
    // Two stories of some ten seconds each, told by a machine that does other things as well.
    await page.getByText("Completed").first().waitFor({ timeout: 90_000 });
    await expect
      .poll(async () =>
        Number((await page.locator("[data-fact=tokens]").innerText()).replaceAll(",", "")),
      )
      .toBeGreaterThan(before);
    const { items } = await world.json<{ items: readonly { key: string }[] }>(
      `/runs/${id}/journal`,
    );
    const shown = async () =>
      (
        await page
          .getByRole("treegrid")
          .locator("[data-key]")
          .evaluateAll((all) => all.map((row) => row.getAttribute("data-key") ?? ""))
      ).toSorted(byText);
    await expect.poll(shown).toEqual(items.map(({ key }) => key).toSorted(byText));
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("answers a question in the inbox, and both pages move (CO11)", async () => {
    const { id } = await world.json<Row>("/conversations/incident-review/kickoff", {
      message: "Review this: 09:00 ERROR checkout timed out",
    });
    const run = await world.open(`/runs/${id}`);
    await run.getByText("This run asks").waitFor();
    const page = await world.open(`/inbox?run=${id}`, run.context());
    await page.getByLabel(/You speak as/).fill("Approved");
    await page.reload();
    expect(await page.getByLabel(/You speak as/).inputValue()).toBe("Approved"); // a draft is kept
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect
      .poll(async () => (await world.json<{ status: string }>(`/runs/${id}`)).status, {
        timeout: 20_000,
      })
      .not.toBe("waiting");
    await run.getByText("This run asks").waitFor({ state: "detached" });
    await page.context().close();
  });

  it("shows the second of two people the first answer, and keeps the second's draft (CO10)", async () => {
    const { id } = await world.json<Row>("/conversations/incident-review/kickoff", {
      message: "Review this: 09:00 ERROR checkout timed out",
    });
    const pages = await Promise.all(["", ""].map(() => world.open(`/runs/${id}`)));
    for (const page of pages) await page.getByText("This run asks").waitFor();
    const [one, other] = pages as [Page, Page];
    await other.getByLabel(/You speak as/).fill("Not before Monday");
    await one.getByLabel(/You speak as/).fill("Approved");
    await one.getByRole("button", { name: "Send", exact: true }).click();
    await other.getByText("Answered by").waitFor();
    expect(await other.getByLabel("Your draft").innerText()).toBe("Not before Monday");
    expect(await one.getByText("Answered by").count()).toBe(0);
    await other.getByRole("button", { name: "Discard the draft" }).click();
    await other.getByText("Answered by").waitFor({ state: "detached" });
    for (const page of pages) await page.context().close();
  });

  it("has the same form with its draft after a reload, and in a browser opened later (CO9)", async () => {
    const { id } = await world.json<Row>("/conversations/incident-review/kickoff", {
      message: "Review this: 09:00 ERROR checkout timed out",
    });
    const page = await world.open(`/runs/${id}`);
    // What is asked is Markdown, which is plain text until the part that reads it is there.
    const question = async (on: Page) =>
      (await on.locator("[data-wait] .question").innerText()).replace(/\s+/g, " ");
    await page.locator("[data-wait] .question p").first().waitFor();
    const asked = await question(page);
    await page.getByLabel(/You speak as/).fill("Shorter, please");
    await page.reload();
    await page.locator("[data-wait] .question p").first().waitFor();
    expect(await question(page)).toBe(asked);
    expect(await page.getByLabel(/You speak as/).inputValue()).toBe("Shorter, please");
    await page.context().close();
    const tomorrow = await world.browser.newContext();
    await tomorrow.clock.install({ time: Date.now() + 86_400_000 });
    const later = await world.open(`/runs/${id}`, tomorrow);
    await later.locator("[data-wait] .question p").first().waitFor();
    expect(await question(later)).toBe(asked);
    await later
      .locator(".run-facts")
      .getByText(/^1 d|^24 h/)
      .waitFor();
    await later.getByLabel(/You speak as/).fill("Approved");
    await later.getByRole("button", { name: "Send", exact: true }).click();
    await later.getByText("This run asks").waitFor({ state: "detached" });
    await later.context().close();
  });

  it("repeats an answer whose response was lost, and stores one (CO11)", async () => {
    const { id } = await world.json<Row>("/conversations/incident-review/kickoff", {
      message: "Review this: 09:00 ERROR checkout timed out",
    });
    const page = await world.open(`/runs/${id}`);
    const key = await page.locator("[data-wait]").getAttribute("data-wait");
    let sent = 0;
    await page.route("**/resume", async (route) => {
      const response = await route.fetch();
      if (sent++ === 0) await route.abort("connectionreset");
      else await route.fulfill({ response });
    });
    await page.getByLabel(/You speak as/).fill("Approved");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("This run asks").waitFor({ state: "detached" });
    await expect.poll(() => sent).toBe(2);
    expect(await page.getByText("Answered by").count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
    const events = await fetch(`${world.url}/runs/${id}/events?limit=500&types=wait_settled`, {
      headers: { accept: "application/json" },
    });
    const { items } = (await events.json()) as { readonly items: readonly { key?: string }[] };
    expect(items.filter((event) => event.key === key)).toHaveLength(1);
    await page.context().close();
  });

  it("starts, forks and answers with the keyboard alone, with announcements for screen readers (CO35)", async () => {
    const page = await world.open("/crews/release-notes?tab=run");
    const said: string[] = [];
    await page.exposeFunction("heard", (text: string) => said.push(text));
    await page.getByRole("button", { name: "Start the run" }).waitFor();
    await page.evaluate(() => {
      const region = document.querySelector("[aria-live=polite]");
      if (region === null) throw new Error("no live region");
      new MutationObserver(() =>
        (globalThis as unknown as { heard: (text: string) => void }).heard(region.textContent),
      ).observe(region, { childList: true, characterData: true, subtree: true });
    });
    await tabTo(page, page.getByLabel("Log"));
    await page.keyboard.type(RELEASE.log);
    await tabTo(page, page.getByRole("button", { name: "Start the run" }));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    await page.locator(".run-facts").getByText("Completed").waitFor({ timeout: 60_000 });
    const first = page.url();
    const grid = page.getByRole("treegrid");
    await tabTo(page, grid.locator('[tabindex="0"][role=row]'));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("button", { name: "Fork from here" }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Start the fork" }));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.href !== first && !url.search.includes("step="));
    await page.locator(".run-facts").getByText("Completed").waitFor({ timeout: 60_000 });

    const { id } = await world.json<Row>("/conversations/incident-review/kickoff", {
      message: "Review this: 09:00 ERROR checkout timed out",
    });
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForURL(/\/inbox/);
    await page.locator(`[href*="${id}"]`).first().waitFor();
    await tabTo(page, page.locator(`[href*="${id}"]`).first());
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByLabel(/You speak as/));
    await page.keyboard.type("Approved");
    await page.keyboard.press("Control+Enter");
    await expect
      .poll(async () => (await world.json<Row>(`/runs/${id}`)).status, { timeout: 30_000 })
      .not.toBe("waiting");
    await expect.poll(() => said).toContain("Answer sent");
    await expect.poll(() => said).toContain("Run completed");
    expect(said.filter((text) => text.includes("Once upon"))).toEqual([]);
    await page.context().close();
  });

  it("runs no script from contents, and keeps the layout (CO32, CO33)", async () => {
    const log =
      'a1b2c3d feat: <script>window.stolen=1</script> <img src=x onerror="window.stolen=1"> [x](javascript:window.stolen=1) ![p](https://tracker.example/p.png) \u001b[31mred\u001b[0m \u202Egnp.exe ' +
      "w".repeat(5000);
    const { id } = await world.json<Row>("/crews/release-notes/kickoff", {
      inputs: { product: '"><b>x', version: "1", log },
    });
    const elsewhere: string[] = [];
    for (const tab of ["overview", "timeline", "conversation", "usage", "raw"]) {
      const page = await world.open(`/runs/${id}?tab=${tab}`);
      page.on("request", (request) => {
        if (!request.url().startsWith(world.url)) elsewhere.push(request.url());
      });
      await page.getByText("Completed").first().waitFor();
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => "stolen" in globalThis)).toBe(false);
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBe(0);
      await page.context().close();
    }
    expect(elsewhere).toEqual([]);
    expect(world.faults).toEqual([]);
  });
});

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let press = 0; press < 120; press++) {
    if (await wanted.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${String(wanted)}`);
}

const rows = (page: Page) => page.getByRole("table", { name: "Runs" }).locator("[data-run]");
const byText = (one: string, other: string): number => one.localeCompare(other);
