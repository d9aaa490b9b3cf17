import { describe, expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";

const URL_OK = "https://hooks.example.com/";

async function kickoff(webhooks: unknown, settings: object = { hasSecret: true }) {
  const world = new HttpWorld({ webhooks: settings as { hasSecret: boolean } });
  return world.ask("/crews/greeting/kickoff", { json: { webhooks } });
}

describe("the webhooks of a kickoff", () => {
  it("are taken, and not shown with the run", async () => {
    const world = new HttpWorld({ webhooks: { hasSecret: true } });
    const secret = "a secret of twenty bytes";
    const { status, json } = await world.ask("/crews/greeting/kickoff", {
      json: { id: "run-1", webhooks: [{ url: URL_OK, events: ["run_completed"], secret }] },
    });
    expect([status, json["id"]]).toEqual([202, "run-1"]);
    await world.clock.settle();
    for (const path of ["/runs/run-1", "/runs/run-1/events", "/runs/run-1/journal?values=1"])
      expect((await world.ask(path)).text).not.toMatch(/webhooks|secret of/);
  });

  it.each([
    ["http://127.0.0.1/", "/webhooks/0/url", "private network"],
    ["http://2130706433/", "/webhooks/0/url", "private network"],
    ["https://localhost:8787/", "/webhooks/0/url", "private network"],
    ["https://[::ffff:10.0.0.1]/", "/webhooks/0/url", "private network"],
    ["https://metadata.google.internal/", "/webhooks/0/url", "private network"],
    ["ftp://example.com/", "/webhooks/0/url", "http or https"],
    ["https://user:pass@example.com/", "/webhooks/0/url", "user name or password"],
    ["", "/webhooks/0/url", "expected"],
  ])("go to no such address: %s", async (url, path, message) => {
    const { status, json } = await kickoff([{ url }]);
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([{ path, message: expect.stringContaining(message) }]);
    expect(json["detail"]).not.toContain("user:pass");
  });

  it("are refused with every issue at once, each with its path", async () => {
    const { status, json } = await kickoff(
      [
        { url: URL_OK },
        { url: "http://10.0.0.1/", secret: "short" },
        { url: URL_OK, secret: "whsec_***", events: ["run_completed", "run_finished"] },
      ],
      { hasSecret: false },
    );
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([
      { path: "/webhooks/0/secret", message: expect.stringContaining("EDGECREW_WEBHOOK_SECRET") },
      { path: "/webhooks/1/url" },
      { path: "/webhooks/1/secret", message: "secret must have at least 16 bytes, got 5" },
      { path: "/webhooks/2/secret", message: expect.stringContaining("base64") },
      {
        path: "/webhooks/2/events/1",
        message: 'expected an event type, such as run_completed, got "run_finished"',
      },
    ]);
  });

  it.each([
    ["no list", {}, "/webhooks"],
    ["an unknown field", [{ url: URL_OK, headers: {} }], "/webhooks/0"],
    ["too many", Array.from({ length: 11 }, () => ({ url: URL_OK })), "/webhooks"],
    ["no events", [{ url: URL_OK, events: [] }], "/webhooks/0/events"],
  ])("are refused: %s", async (_, webhooks, path) => {
    const { status, json } = await kickoff(webhooks);
    expect(status).toBe(400);
    expect(json["errors"]?.[0]?.["path"]).toContain(path);
  });

  it("may go to this machine when the deployment lets them", async () => {
    const url = "http://localhost:9000/";
    const answer = await kickoff([{ url }], { hasSecret: true, allowPrivate: true });
    expect(answer.status).toBe(202);
  });

  it("are checked before a batch starts, too", async () => {
    const world = new HttpWorld({ webhooks: { hasSecret: true } });
    const { status, json } = await world.ask("/crews/greeting/kickoff-for-each", {
      json: { inputs: [{}], webhooks: [{ url: "http://10.0.0.1/" }] },
    });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/webhooks/0/url"]);
  });
});
