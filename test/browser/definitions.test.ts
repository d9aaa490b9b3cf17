// Definitions in the console: forms of their inputs, the editor, versions.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { FILE_CREW, FORM_CREW, TEA_CREW } from "./form-samples.ts";

const path = chromiumPath();
type Run = { readonly id: string; readonly status: string; readonly inputs: unknown };
type Details = { readonly version: number; readonly definition: { readonly tasks: unknown } };

describe.runIf(path !== undefined)("definitions in the console", () => {
  let world: ConsoleWorld;
  let models: ModelServer;
  const put = (name: string, body: string | object): Promise<Response> =>
    fetch(`${world.url}/crews/${name}`, {
      method: "PUT",
      headers: {
        "content-type": typeof body === "string" ? "application/yaml" : "application/json",
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  beforeAll(async () => {
    models = await startModelServer({ reply: () => ({ text: "Done." }) });
    world = await ConsoleWorld.start(path ?? "", {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
  });

  afterAll(async () => {
    await world?.stop();
    await models?.stop();
  });

  it("makes a field of each kind of schema, shows faults at the field, and keeps the values as JSON (CO19)", async () => {
    await put("trip", FORM_CREW);
    const page = await world.open("/crews/trip?tab=run");
    const start = page.getByRole("button", { name: "Start the run" });
    await start.click();
    await page.getByText("This is needed").waitFor();
    await page.getByLabel("City").fill("Oslo");
    await page.getByLabel("Notes").fill("By the sea");
    await page.getByLabel("small").check();
    await page.getByLabel("Month").selectOption({ label: "mar" });
    await page.getByLabel("People (optional)").fill("12");
    await page.getByLabel("Notes").focus();
    await page.getByText("At most 9").waitFor();
    await page.getByLabel("People (optional)").fill("4");
    await page.getByLabel("Is urgent").check();
    await page.getByLabel("Day").fill("2027-03-04");
    await page.getByLabel("Mail").fill("ada@example.com");
    const tags = page.getByLabel("Tags").first();
    await tags.fill("fjord");
    await tags.press("Enter");
    await page.getByRole("button", { name: "green" }).click();
    const stops = page.getByRole("group", { name: "Stops" });
    await stops.getByRole("button", { name: "Add" }).click();
    await stops.getByLabel("Place").fill("Bergen");
    await stops.getByRole("button", { name: "Add" }).click();
    await stops.getByLabel("Place").nth(1).fill("Voss");
    await stops.getByRole("button", { name: "Up" }).nth(1).click();
    await page.getByText("Hotel (optional)").click();
    await page.getByLabel("Stars").fill("3");
    await page.getByLabel("Way").selectOption({ label: "By car" });
    await page.getByLabel("Plate").fill("AB 1");
    await page.getByLabel("Anything").fill("at all");
    await page.getByLabel("Extra").fill('{ "deep": [1] }');
    await page.getByRole("button", { name: "As JSON" }).click();
    const expected = {
      city: "Oslo",
      notes: "By the sea",
      size: "small",
      month: "mar",
      people: 4,
      isUrgent: true,
      day: "2027-03-04",
      mail: "ada@example.com",
      tags: ["fjord"],
      colours: ["green"],
      stops: [{ place: "Voss" }, { place: "Bergen" }],
      hotel: { stars: 3 },
      way: { kind: "car", plate: "AB 1" },
      anything: "at all",
      extra: { deep: [1] },
    };
    const json = page.getByLabel("JSON", { exact: true });
    expect(JSON.parse(await json.inputValue())).toEqual(expected);
    await json.fill(JSON.stringify({ ...expected, tags: ["Fjord 1"] }));
    await page.getByRole("button", { name: "As a form" }).click();
    expect(await page.getByLabel("City").inputValue()).toBe("Oslo");
    await start.click();
    await page.getByText(/Fjord 1: This does not fit/).waitFor();
    await page.getByRole("button", { name: "Remove Fjord 1" }).click();
    await page.getByText("More: id").click();
    await page.getByLabel("Model of all agents").fill("nobody");
    await start.click();
    await page.getByText('expected "provider/model"').waitFor();
    await page.getByLabel("Model of all agents").fill("");
    await start.click();
    await page.waitForURL(/\/runs\/[\w-]+$/);
    const run = await world.json<Run>(`/runs/${page.url().split("/").at(-1) ?? ""}`);
    expect(run.inputs).toMatchObject({ ...expected, tags: [] });
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("starts one run for each line of a pasted table (CO19)", async () => {
    await put("trip", FORM_CREW);
    const page = await world.open("/crews/trip?tab=run");
    await page.getByRole("button", { name: "Many inputs" }).click();
    const text = page.getByLabel("Inputs, one run each");
    await text.fill('city,people\n"Oslo, again",2\nRome\n');
    await page.getByText("Line 3: 2 cells expected, these are 1").waitFor();
    await text.fill('city,people\n"Oslo, again",2\nRome,3\n');
    await page.getByRole("button", { name: "Start 2 runs" }).click();
    await page.waitForURL(/\/runs\/[\w-]+$/);
    const run = await world.json<Run>(`/runs/${page.url().split("/").at(-1) ?? ""}`);
    expect(JSON.stringify(run.inputs)).toContain('"Oslo, again"');
    await page.context().close();
  });

  it("uploads a chosen file, and the run reads it (CO20)", async () => {
    await put("reader", FILE_CREW);
    const page = await world.open("/crews/reader?tab=run");
    await page.getByLabel("Report").setInputFiles({
      name: "harbour.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Twelve lighthouses were counted."),
    });
    await page.getByText("harbour.txt", { exact: true }).waitFor();
    await page.getByText("32 B").waitFor();
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\/[\w-]+$/);
    await page.getByText("Completed").first().waitFor();
    const run = await world.json<Run>(`/runs/${page.url().split("/").at(-1) ?? ""}`);
    expect(run.inputs).toEqual({ report: { $file: expect.any(String) } });
    expect(JSON.stringify(models.calls)).toContain("Twelve lighthouses");
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("takes a dropped file, with its progress, and a replacement (CO20)", async () => {
    await put("dropped", FILE_CREW);
    const page = await world.open("/crews/dropped?tab=run");
    await page.getByRole("button", { name: "Start the run" }).waitFor();
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    await page.route("**/files**", async (route) => {
      await isHeld;
      await route.continue();
    });
    await drop(page, "one.txt", "First");
    await page.getByRole("progressbar").waitFor();
    goOn();
    await page.getByText("5 B", { exact: true }).waitFor();
    await drop(page, "two.txt", "The second");
    await page.getByText("10 B", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\/[\w-]+$/);
    await page.getByText("Completed").first().waitFor();
    expect(JSON.stringify(models.calls)).toContain("The second");
    await page.context().close();
  });

  it("marks faults at their place, saves with a note, and goes back to an old version (CO21)", async () => {
    await put("tea", TEA_CREW);
    const page = await world.open("/crews/tea?tab=edit");
    const faults = page.getByRole("region", { name: "Faults" });
    await faults.getByText("None.").waitFor();
    await page.getByText("# what the shop says").waitFor();
    await replace(page, TEA_CREW.replace("agent: clerk", "agent: nobody"));
    await faults.getByText(/unknown agent "nobody"/).waitFor();
    await faults.getByText("10:5").waitFor();
    await page.keyboard.press("F8");
    await page.keyboard.press("Control+s");
    await page.getByText("Not saved: the faults below").waitFor();
    await replace(page, TEA_CREW.replace("about {topic}", "about {topic} and milk"));
    await faults.getByText("None.").waitFor();
    await page.getByLabel("Note for the list of versions").fill("milk too");
    await page.keyboard.press("Control+s");
    await page.getByText("Version 2", { exact: true }).waitFor();
    const stored = await world.json<Details>("/crews/tea");
    expect(JSON.stringify(stored.definition)).toContain("and milk");
    await page.getByRole("link", { name: "Versions" }).click();
    await page.getByText("milk too").waitFor();
    await page.getByRole("button", { name: "Changes of version 2" }).click();
    const sides = page.getByRole("region", { name: "Side by side" });
    await sides.getByText("about {topic} and milk").waitFor();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("row").nth(1).getByText("present").waitFor();
    const restored = await world.json<Details>("/crews/tea");
    expect(restored.version).toBe(3);
    expect(JSON.stringify(restored.definition)).not.toContain("and milk");
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("draws the crew while typing, explains fields and tools, and links the picture to the text (CO21)", async () => {
    await put("drawn", TEA_CREW);
    const page = await world.open("/crews/drawn?tab=edit");
    const picture = page.getByRole("region", { name: "Picture" });
    const nodes = picture.locator("[data-node]");
    await expect.poll(() => nodes.count(), POLL).toBe(1);
    const second =
      "  pour:\n    description: Pour it\n    agent: clerk\n    expected_output: A cup\n";
    await replace(page, `${TEA_CREW.trimEnd()}\n${second}`);
    await expect.poll(() => nodes.count(), POLL).toBe(2);
    await replace(
      page,
      `${TEA_CREW.trimEnd()}\n${second.replace("agent: clerk", "agent: nobody")}`,
    );
    await picture.getByText("of the last text without faults").waitFor();
    expect(await nodes.count()).toBe(2);
    await picture.getByRole("button", { name: /^pour/ }).first().click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.locator(".cm-help-line").getByText("Instructions.").waitFor();
    await page.locator(".code-field").getByText("backstory").hover();
    await page.locator(".cm-help").getByText("Knowledge and manner of the agent.").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("keeps every letter however fast they come (CO21)", async () => {
    await put("fast", TEA_CREW);
    const page = await world.open("/crews/fast?tab=edit");
    await page.getByText("# what the shop says").waitFor();
    await replace(page, "#");
    const written = await page.evaluate(async () => {
      const content = document
        .querySelector(".code-field")
        ?.shadowRoot?.querySelector(".cm-content");
      const { port1, port2 } = new MessageChannel();
      const turn = () =>
        new Promise<unknown>((resolve) => {
          port1.addEventListener("message", resolve, { once: true });
          port1.start();
          port2.postMessage("");
        });
      for (let index = 0; index < 400; index++) {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "x");
        content?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        await turn(); // between the tasks in which React renders
      }
      return content?.textContent;
    });
    expect(written).toBe(`#${"x".repeat(400)}`);
    await page.context().close();
  });

  it("shows another person's later version beside the own text (CO21)", async () => {
    await put("shared", TEA_CREW);
    const page = await world.open("/crews/shared?tab=edit");
    await page.getByText("# what the shop says").waitFor();
    await replace(page, TEA_CREW.replace("Answer about", "Mine about"));
    await put("shared", TEA_CREW.replace("Answer about", "Theirs about"));
    await page.keyboard.press("Control+s");
    await page.getByText("Somebody stored version 2 meanwhile").waitFor();
    const sides = page.getByRole("region", { name: "Side by side" });
    await sides.getByText("Theirs about").waitFor();
    await sides.getByText("Mine about").waitFor();
    await page.getByRole("button", { name: "Save mine over version 2" }).click();
    await page.getByText("Version 3", { exact: true }).waitFor();
    const stored = await world.json<Details>("/crews/shared");
    expect(JSON.stringify(stored.definition)).toContain("Mine about");
    expect(world.faults).toEqual([]);
    await page.context().close();
  });

  it("stores a copy of a crew of the code under a name of its own (CO21)", async () => {
    const page = await world.open("/crews/support-reply?tab=edit");
    await page.getByLabel("Name of the crew").fill("my-reply");
    await page.getByText("Copied from support-reply of the code").waitFor();
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});

async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([title, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], title, { type: "text/plain" }));
      return transfer;
    },
    [name, text] as const,
  );
  await page.locator(".drop").dispatchEvent("drop", { dataTransfer: data });
}

const POLL = { timeout: 30_000 };

/** Types a text in place of what the editor has. */
async function replace(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: /Definition as/ }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    const host = document.querySelector(".code-field")?.shadowRoot?.querySelector(".cm-content");
    host?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, text);
}
