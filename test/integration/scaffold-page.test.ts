// The page of the template `fullstack` in a browser.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { Scaffold, type ScaffoldProject } from "../support/scaffold.ts";

const path = chromiumPath();
const KEY = "the-marked-admin-key-of-this-test";

describe.runIf(path !== undefined)("the page of fullstack", () => {
  let scaffold: Scaffold;
  let project: ScaffoldProject;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    scaffold = new Scaffold();
    scaffold.create("desk", "--template", "fullstack", "--yes", "--no-git");
    project = scaffold.project("desk");
    project.write(
      ".dev.vars",
      `EDGECREW_AUTH=keys\nEDGECREW_ADMIN_KEY=${KEY}\nPAGE_PASSWORD=sesame\n`,
    );
    ({ url } = await project.start());
    browser = await launchChromium(path ?? "");
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await project?.stop();
    await scaffold?.remove();
  }, 600_000);

  it("starts a run, shows how it goes, goes on after a reload, asks, and shows the report (SC6)", async () => {
    const context = await browser.newContext({
      httpCredentials: { username: "me", password: "sesame" },
    });
    const page = await context.newPage();
    const faults = faultsOf(page);
    const received: Promise<string>[] = [];
    page.on("response", (response) => {
      const isStream = response.headers()["content-type"]?.includes("event-stream") ?? false;
      received.push(Promise.resolve(JSON.stringify(response.headers())));
      if (!isStream) received.push(response.text().catch(() => ""));
    });
    await page.goto(url);
    await page.getByLabel("Notes").fill("Coffee grows in Brazil. It came from Ethiopia.");
    await page.getByRole("button", { name: "Write the report" }).click();
    await page.getByText("Who is the report for?").waitFor();
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
      "✓ The facts",
      "… Your answer",
    ]);
    await page.reload();
    await page.getByText("Who is the report for?").waitFor();
    await page.getByRole("button", { name: "experts" }).click();
    await page.getByRole("article").waitFor();
    expect(await page.getByRole("article").innerText()).toContain("It came from Ethiopia.");
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
      "✓ The facts",
      "✓ Your answer",
      "✓ The report",
    ]);
    const texts = await Promise.all(received);
    expect(texts.length).toBeGreaterThan(8);
    expect(texts.join("\n")).not.toContain(KEY);
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  it("refuses visitors without the password (SC6)", async () => {
    const start = { method: "POST", body: '{"inputs":{"notes":"x"}}' };
    expect((await fetch(`${url}/app/flows/briefing/kickoff`, start)).status).toBe(401);
    expect((await fetch(`${url}/app/keys`)).status).toBe(404);
    expect((await fetch(`${url}/flows/briefing/kickoff`, start)).status).toBe(401);
  });
});

function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => void faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return faults;
}
