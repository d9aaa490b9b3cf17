// The button that kills the Worker of one's own machine.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/chromium.ts";
import { ConsoleWorld } from "../support/console-world.ts";

const path = chromiumPath();

describe.runIf(path !== undefined)("the first five minutes", () => {
  let world: ConsoleWorld;
  let devSwitch: Server;
  const asked: string[] = [];

  beforeAll(async () => {
    devSwitch = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(202).end();
    }).listen(0, "127.0.0.1");
    await once(devSwitch, "listening");
    const { port } = devSwitch.address() as AddressInfo;
    world = await ConsoleWorld.start(path ?? "", {
      DEMO_DELAY_MS: "500",
      EDGECREW_DEV_SWITCH: `http://127.0.0.1:${port}/switch`,
    });
  });

  afterAll(async () => {
    await world?.stop();
    devSwitch?.close();
  });

  it("one click starts the sample; its page kills the Worker and has its question answered (CO1)", async () => {
    const page = await world.open("/");
    await page.getByText("No runs yet").waitFor();
    const card = page.getByRole("listitem").filter({ hasText: "answer-a-letter" });
    await card.getByRole("button", { name: "Start the run" }).click();
    await page.getByRole("button", { name: "Kill the Worker" }).click();
    expect(asked).toEqual([]);
    await page.getByRole("button", { name: "Kill it" }).click();
    await expect.poll(() => asked).toEqual(["POST /switch"]);
    await page.getByText("look_up_order").first().waitFor();
    await page.getByText("Hello Maya Lind").first().waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Completed").first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Kill the Worker" }).count()).toBe(0);
    expect(world.faults).toEqual([]);
    await page.context().close();
  });
});
