// Crews beside each other, tested and trained, in the console.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { TEA_CREW } from "./form-samples.ts";

const path = chromiumPath();
const LESSON = {
  suggestions: ["Name the harbour first"],
  quality: 8,
  final_summary: "Harbours come first",
};

describe.runIf(path !== undefined)("evaluations in the console", () => {
  let world: ConsoleWorld;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModelServer({
      reply: ({ body }) => {
        const asked = JSON.stringify(body);
        if (asked.includes("final_summary")) return { text: JSON.stringify(LESSON) };
        if (asked.includes('"quality"') || asked.includes('\\"quality\\"'))
          return { text: JSON.stringify({ quality: 7 }) };
        const model = (body as { model: string }).model;
        return {
          text: model.includes("large") ? "A long answer" : "A short answer",
          promptTokens: 1000,
          completionTokens: 500,
        };
      },
    });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
    await fetch(`${world.url}/crews/tea`, {
      method: "PUT",
      headers: { "content-type": "application/yaml" },
      body: TEA_CREW,
    });
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("compares two models over the same three inputs (CO26)", async () => {
    const page = await world.open("/evaluations?crew=tea");
    await page.getByLabel("Left model").fill("openai/small");
    await page.getByLabel("Right model").fill("openai/large");
    await page.getByLabel("Inputs, one run each").fill("topic\ngreen\nblack\nwhite\n");
    await page.getByRole("button", { name: "Start 6 runs" }).click();
    await page.waitForURL(/left=.*right=/);
    const table = page.getByRole("region", { name: "Comparison" });
    await expect.poll(() => table.getByText("A short answer").count(), WAIT).toBe(3);
    await expect.poll(() => table.getByText("A long answer").count(), WAIT).toBe(3);
    await table.getByText('{"topic":"black"}').waitFor();
    await table
      .getByText(/on average/)
      .first()
      .waitFor();
    await page.reload();
    await expect.poll(() => table.getByText("A long answer").count(), WAIT).toBe(3);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("tests a crew, and shows the score of each task in each run (CO26)", async () => {
    const page = await world.open("/crews/tea?tab=evaluations");
    const tests = page.getByRole("region", { name: "Tests" });
    await tests.getByText("Test it:").click();
    await tests.getByLabel("Topic").fill("oolong");
    await tests.getByLabel("Number of runs").first().fill("2");
    await tests.getByRole("button", { name: "Start the test" }).click();
    const row = tests.getByRole("row").filter({ hasText: "The crew" });
    await row.getByText("7").first().waitFor(WAIT);
    expect(await row.getByText("7", { exact: true }).count()).toBe(3);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("trains a crew with feedback, and shows the lessons (CO26)", async () => {
    const page = await world.open("/crews/tea?tab=evaluations");
    const training = page.getByRole("region", { name: "Training" });
    await training.getByText("Train it:").click();
    await training.getByLabel("Topic").fill("oolong");
    await training.getByLabel("Number of runs").first().fill("1");
    await training.getByRole("button", { name: "Start the training" }).click();
    await training.getByLabel("Feedback").fill("Name the harbour");
    await training.getByRole("button", { name: /Send feedback/ }).click();
    await training.getByText("Name the harbour first").waitFor(WAIT);
    await training.getByText("quality 8 of 10").waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await training.getByRole("button", { name: "Forget" }).click();
    await training.getByText("It was not trained yet").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("reports the built-in model's refusal to judge (CO26)", async () => {
    const page = await world.open("/crews/tea?tab=evaluations");
    const tests = page.getByRole("region", { name: "Tests" });
    await tests.getByText("Test it:").click();
    await tests.getByLabel("Topic").fill("oolong");
    await tests.getByLabel("Model that judges").fill("offline/demo");
    await tests.getByRole("button", { name: "Start the test" }).click();
    await tests.getByText(/cannot score answers: it is not a language model/).waitFor(WAIT);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});

const WAIT = { timeout: 20_000 };
