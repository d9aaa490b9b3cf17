// Checks of a chat in a page, the same for every front end.
import assert from "node:assert/strict";
import type { Page } from "./page.ts";

type Open = (agent: string) => Promise<Page>;

const WORDS = "a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6";

/** Checks by their names. */
export const CHECKS: Readonly<Record<string, (open: Open) => Promise<void>>> = {
  "a tool of the page, and its history after a reload": async (open) => {
    const page = await open("clerk");
    await say(page, 'CALL colour {"name":"red"}');
    await shows(page, "RESULT painted red");
    await page.reload();
    await shows(page, "RESULT painted red");
  },
  "a question to the person, answered after a reload": async (open) => {
    const page = await open("clerk");
    await say(page, 'CALL confirm {"what":"the order"}');
    await page.getByRole("button", { name: "Yes" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Yes" }).click();
    await shows(page, "RESULT yes");
  },
  "an approval, given after a reload": async (open) => {
    const page = await open("teller");
    await say(page, 'CALL refund {"order":"7"}');
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).click();
    await shows(page, "RESULT refunded 7");
  },
  "a review shows its draft once": async (open) => {
    const page = await open("reviewed");
    await say(page, "SAY of tea");
    const approve = page.getByRole("button", { name: "Approve" });
    await approve.waitFor();
    assert.doesNotMatch(await page.getByLabel("Interrupt").innerText(), /of tea/);
    await approve.click();
    await approve.waitFor({ state: "detached" });
  },
  "a state that both sides change": async (open) => {
    const page = await open("counter");
    const state = page.getByLabel("State");
    await say(page, "count");
    await state.getByText('"n":1,').waitFor();
    await page.getByRole("button", { name: "Add ten" }).click();
    await say(page, "count");
    await state.getByText('"n":12,').waitFor();
    await page.reload();
    await state.getByText('"n":12,').waitFor();
  },
  "a reload in the middle of an answer": async (open) => {
    const page = await open("clerk");
    await say(page, `SLOW 200 ${WORDS}`);
    await shows(page, /^a1 a2/);
    await page.reload();
    await shows(page, /^a1 a2.*b6/);
  },
  "a stop ends the run": async (open) => {
    const page = await open("clerk");
    await say(page, `SLOW 300 ${WORDS}`);
    await shows(page, /^a1 a2/);
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.or(page.getByTestId("copilot-send-button")).first().click();
    await say(page, "SAY after");
    await shows(page, /^after$/);
    await page.reload();
    await shows(page, /^after$/);
    await new Promise((resolve) => setTimeout(resolve, 5_000)); // the time that its words would take
    assert.equal(await page.getByText(/^a1 a2.*b6/).count(), 0);
  },
  "an answer that is asked for again": async (open) => {
    const page = await open("clerk");
    await say(page, "SAY once");
    await shows(page, /^once$/);
    const again = page.getByRole("button", { name: /Again|Regenerate/i });
    await again.or(page.getByTestId("copilot-regenerate-button")).last().click();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await page.reload();
    await shows(page, /^once$/);
    assert.equal(await page.getByText(/^once$/).count(), 1);
  },
};

async function say(page: Page, words: string): Promise<void> {
  const box = page.locator("textarea").first();
  await box.fill(words);
  await box.press("Enter");
}

async function shows(page: Page, words: string | RegExp): Promise<void> {
  await page.getByText(words).last().waitFor();
}
