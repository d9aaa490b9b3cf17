import { expect, it } from "vitest";
import { devPart, DEV_SWITCH } from "../../../src/access/dev-part.ts";
import { developmentSettings } from "../../../src/cloudflare/development-settings.ts";
import { HttpWorld } from "../../support/http-app.ts";

function withSwitch(address: string | undefined): { world: HttpWorld; asked: string[] } {
  const asked: string[] = [];
  const ask = async (url: Parameters<typeof fetch>[0]): Promise<Response> => {
    asked.push(url instanceof Request ? url.url : url.toString());
    return new Response(null, { status: 202 });
  };
  const variables = address === undefined ? {} : { [DEV_SWITCH]: address };
  return { world: new HttpWorld({ parts: [devPart(ask)], variables }), asked };
}

it("DVK1: asks the dev server to kill the Worker", async () => {
  const { world, asked } = withSwitch("http://127.0.0.1:4567/secret");
  expect((await world.ask("/dev")).json).toEqual({ canBeKilled: true });
  expect((await world.ask("/dev/kill", { method: "POST" })).status).toBe(202);
  expect(asked).toEqual(["http://127.0.0.1:4567/secret"]);
});

it.each([
  ["http://127.0.0.1:4567/secret", true],
  [undefined, false],
])("is named by GET /about only when a switch is set: %j", async (address, isNamed) => {
  const { json } = await withSwitch(address).world.ask("/about");
  expect((json["parts"] as unknown as string[]).includes("dev")).toBe(isNamed);
});

it.each([undefined, "", "http://example.com/", "https://127.0.0.1/", "nope"])(
  "DVK1: has no such route when the dev server's switch is %j",
  async (address) => {
    const { world } = withSwitch(address);
    expect((await world.ask("/dev/kill", { method: "POST" })).status).toBe(404);
    expect((await world.ask("/dev")).status).toBe(404);
  },
);

it("DVK2: returns 404 to other machines, and is a setting for development", async () => {
  const { world, asked } = withSwitch("http://127.0.0.1:4567/secret");
  const answer = await world.ask("https://crews.example.com/dev/kill", { method: "POST" });
  const about = await world.ask("https://crews.example.com/dev");
  expect([answer.status, about.status, asked]).toEqual([404, 404, []]);
  expect(developmentSettings({ EDGECREW_DEV_SWITCH: "http://127.0.0.1:1/" })).toHaveLength(1);
});
