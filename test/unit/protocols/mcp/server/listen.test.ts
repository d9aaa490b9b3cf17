import { describe, expect, it } from "vitest";
import { McpWorld, MODERN } from "../../../../support/mcp-world.ts";

type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
};

/** A stream of the current revision, and what has come on it so far. */
async function listening(world: McpWorld, notifications: unknown, signal?: AbortSignal) {
  const response = await world.app.request("/mcp", {
    method: "POST",
    ...(signal === undefined ? undefined : { signal }),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "sub-1",
      method: "subscriptions/listen",
      params: {
        notifications,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": MODERN,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const messages: Message[] = [];
  const seen = { text: "", isOver: false };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (;;) {
      const { done, value = "" } = (await reader?.read()) ?? { done: true };
      if (done) break;
      seen.text += value;
      for (const line of value.split("\n"))
        if (line.startsWith("data: ")) messages.push(JSON.parse(line.slice(6)) as Message);
    }
    seen.isOver = true;
  })();
  return { response, messages, seen };
}

function worldWith(note: { text: string }): McpWorld {
  return new McpWorld({ resources: [{ uri: "app://note", name: "Note", read: () => note.text }] });
}

const SOON = { timeout: 10_000, interval: 2 };

/** Lets time pass until something has come about. */
async function comesAbout(world: McpWorld, condition: () => boolean): Promise<void> {
  await expect
    .poll(async () => {
      if (condition()) return true;
      await world.clock.advance(5_000);
      return condition();
    }, SOON)
    .toBe(true);
}

describe("a stream of changes", () => {
  it("begins with its subscriptions, reports changes once, and ends with a result", async () => {
    const note = { text: "first" };
    const world = worldWith(note);
    const { messages, seen } = await listening(world, {
      toolsListChanged: true,
      resourceSubscriptions: ["app://note", 7],
    });
    await comesAbout(world, () => seen.text.includes(":\n\n"));
    const about = { _meta: { "io.modelcontextprotocol/subscriptionId": "sub-1" } };
    expect(messages).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { resourceSubscriptions: ["app://note"] }, ...about },
      },
    ]);
    note.text = "second";
    await comesAbout(world, () => messages.length > 1);
    await comesAbout(world, () => seen.isOver);
    expect(messages.slice(1, -1)).toMatchObject([
      { method: "notifications/resources/updated", params: { uri: "app://note", ...about } },
    ]);
    expect(messages.at(-1)).toEqual({
      jsonrpc: "2.0",
      id: "sub-1",
      result: { resultType: "complete", ...about },
    });
    expect(world.clock.pending).toBe(0);
  });

  it("MSB1: leaves no timers when its client disconnects", async () => {
    const world = worldWith({ text: "first" });
    const gone = new AbortController();
    await listening(world, { resourceSubscriptions: ["app://note"] }, gone.signal);
    await expect.poll(() => world.clock.pending, SOON).toBeGreaterThan(1);
    gone.abort();
    await expect.poll(() => world.clock.pending, SOON).toBe(0);
  });

  it("ends at once without subscribable changes", async () => {
    const world = worldWith({ text: "first" });
    const { messages, seen } = await listening(world, { promptsListChanged: true });
    await comesAbout(world, () => seen.isOver);
    expect(messages).toMatchObject([{ params: { notifications: {} } }, { id: "sub-1" }]);
  });

  it.each([undefined, "all", []])("needs a filter: %j", async (notifications) => {
    const { response } = await listening(worldWith({ text: "first" }), notifications);
    expect(response.status).toBe(400);
  });
});
