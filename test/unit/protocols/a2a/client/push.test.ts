// Callbacks: a run waits for weeks, and goes on when the remote agent calls the Worker.
import { describe, expect, it, vi } from "vitest";
import { a2aClient, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { toBase64 } from "../../../../../src/base/bytes.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  a2aPeer,
  json,
  type PeerOptions,
  type PeerRequest,
  bodyOf,
} from "../../../../support/a2a-peer.ts";
import { lastTold, scriptedAgent, soloCrew } from "../../../../support/crew-harness.ts";
import { HttpWorld, type Answer } from "../../../../support/http-app.ts";
import type { ScriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";
import type { Run } from "../../../../../src/runtime/run.ts";

const DAY = 86_400_000;
const KEY = toBase64(new Uint8Array(32).fill(7));
const CALLBACKS = "https://crew.example.com";

/** All that were made, for servers that call before they answer. */
const worlds: HttpWorld[] = [];

type Push = Exclude<Extract<NonNullable<A2AClientConfig["updates"]>, { type: "push" }>, string>;

type World = {
  readonly world: HttpWorld;
  readonly model: ScriptedModel;
  readonly path: () => string;
  readonly sent: () => { url: string; token: string; authentication?: object };
  readonly run: () => Promise<Run>;
  readonly requests: readonly PeerRequest[];
  readonly call: (
    body: unknown,
    options?: { headers?: Record<string, string>; path?: string },
  ) => Promise<Answer>;
};

const idOf = ({ body }: PeerRequest): number => (JSON.parse(body) as { id: number }).id;
const TASK = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
const DONE = {
  ...TASK,
  status: { state: "TASK_STATE_COMPLETED" },
  artifacts: [{ artifactId: "a", parts: [{ text: "Rain" }] }],
};

async function waiting(
  updates: Partial<Push> = {},
  options: PeerOptions & {
    readonly now?: () => unknown;
    readonly secretsKey?: string | undefined;
  } = {},
): Promise<World> {
  const { now = () => TASK, secretsKey = KEY, ...peerOptions } = options;
  const peer = a2aPeer({
    push: true,
    before: (request) => {
      if (request.method === "GET") return undefined;
      const result = request.rpc === "SendMessage" ? { task: TASK } : now();
      return json({ jsonrpc: "2.0", id: idOf(request), result });
    },
    ...peerOptions,
  });
  const { agent } = scriptedAgent([], {
    a2a: { endpoint: peer.url, updates: { type: "push", timeout: 365 * 86_400, ...updates } },
  });
  const variables = { EDGECREW_SECRETS_KEY: secretsKey, TEAM_SECRET: "a-shared-secret" };
  const world: HttpWorld = new HttpWorld({
    script: askingInTurn(["Rain?"]),
    crews: { solo: soloCrew(agent) },
    variables,
    parts: [a2aClient({ fetch: peer.fetch, callbackUrl: `${CALLBACKS}/` })],
    placeVariables: variables,
  });
  worlds.push(world);
  const id = await world.kickoff("solo");
  /** Encryption takes real time. */
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 400; turn++) {
      await world.clock.settle();
      if ((await world.runs.get("default", id)).status !== "running") return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await quiet();
  const sent = (): { url: string; token: string } => {
    const { params } = JSON.parse(peer.sends()[0]?.body ?? "{}") as {
      params: { configuration: { taskPushNotificationConfig: { url: string; token: string } } };
    };
    return params.configuration.taskPushNotificationConfig;
  };
  const path = (): string => sent().url.slice(CALLBACKS.length);
  return {
    world,
    model: world.model,
    sent,
    path,
    requests: peer.requests,
    run: () => world.runs.get("default", id),
    call: async (body, { headers = {}, path: to = path() } = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await world.ask(to, {
        method: "POST",
        body: text,
        headers: { "content-type": "application/a2a+json", ...headers },
      });
      await quiet();
      return answer;
    },
  };
}

async function signed(
  body: string,
  atMs: number,
  secret = "a-shared-secret",
): Promise<Record<string, string>> {
  const time = String(Math.floor(atMs / 1000));
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = new Uint8Array(
    await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${time}.${body}`)),
  );
  return {
    "x-a2a-signature": Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    "x-a2a-signature-timestamp": time,
  };
}

describe("AXR4: a run waiting for a callback", () => {
  it("makes no requests for weeks, and continues at the callback", async () => {
    const { world, run, call, model, requests, sent } = await waiting();
    expect(sent().url).toMatch(/^https:\/\/crew\.example\.com\/a2a\/callbacks\/[\w-]+$/);
    expect((await run()).waits).toMatchObject([
      {
        kind: "input",
        prompt: 'Waiting for the remote agent "Weather Bot" to call back about its task t-1',
      },
    ]);
    const before = requests.length;
    await world.clock.advance(90 * DAY);
    expect((await run()).status).toBe("waiting");
    expect(requests).toHaveLength(before);
    expect(
      await call({ task: DONE }, { headers: { "x-a2a-notification-token": sent().token } }),
    ).toMatchObject({ status: 204 });
    expect(await run()).toMatchObject({ status: "completed", output: { raw: "It will rain" } });
    expect(lastTold(model, 1)).toBe("Rain");
    expect(requests).toHaveLength(before);
  });

  it.each([
    [
      "an update of 1.0, without artifacts",
      { statusUpdate: { taskId: "t-1", contextId: "c-1", status: DONE.status } },
    ],
    [
      "an event of 0.3",
      {
        kind: "status-update",
        taskId: "t-1",
        contextId: "c-1",
        final: true,
        status: { state: "completed" },
      },
    ],
  ])("reads the task after %s", async (_, body) => {
    const { run, call, model } = await waiting({}, { now: () => DONE });
    expect((await call(body)).status).toBe(204);
    expect((await run()).status).toBe("completed");
    expect(lastTold(model, 1)).toBe("Rain");
  });

  it("takes a whole task of 0.3", async () => {
    const { run, call, model } = await waiting();
    const body = {
      kind: "task",
      id: "t-1",
      contextId: "c-1",
      status: {
        state: "completed",
        message: {
          kind: "message",
          role: "agent",
          messageId: "m",
          parts: [{ kind: "text", text: "See:" }],
        },
      },
      artifacts: [
        {
          artifactId: "a",
          parts: [
            { kind: "data", data: { rain: true } },
            { kind: "file", file: { uri: "https://x.example.com/map.png", mimeType: "image/png" } },
          ],
        },
      ],
    };
    expect((await call(body)).status).toBe(204);
    expect((await run()).status).toBe("completed");
    expect(lastTold(model, 1)).toBe('See:\n{"rain":true}\n{"url":"https://x.example.com/map.png"}');
  });

  it("waits on after updates without an end, and ignores tasks with another id", async () => {
    const { run, call } = await waiting();
    expect((await call({ task: TASK })).status).toBe(204);
    expect(
      (
        await call({
          artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: DONE.artifacts[0] },
        })
      ).status,
    ).toBe(204);
    expect((await run()).waits).toHaveLength(1);
    await call({ task: { ...DONE, id: "t-2" } });
    expect(await run()).toMatchObject({ status: "waiting", waits: [{ kind: "input" }] });
    expect((await call({ task: DONE })).status).toBe(204);
    expect((await run()).status).toBe("completed");
  });

  it("AXB3: ignores a repeated callback", async () => {
    const { run, call } = await waiting();
    await call({ task: DONE });
    expect((await call({ task: DONE })).status).toBe(204);
    expect((await run()).status).toBe("completed");
  });

  it("AXR6: reads the task when the time is over", async () => {
    const { world, run, model } = await waiting({ timeout: 3600 }, { now: () => DONE });
    await world.clock.advance(3_600_000);
    await world.clock.settle();
    expect((await run()).status).toBe("completed");
    expect(lastTold(model, 1)).toBe("Rain");
    const late = await waiting({ timeout: 3600 });
    await late.world.clock.advance(3_600_000);
    await late.world.clock.settle();
    expect(lastTold(late.model, 1)).toContain("no callback came within 3600 seconds");
  });

  it("takes the answer from a person too", async () => {
    const { world, run, model } = await waiting();
    const { id } = await run();
    await world.ask(`/runs/${id}/resume`, { json: { value: "Rain, says the radio" } });
    await world.clock.settle();
    expect(lastTold(model, 1)).toBe("Rain, says the radio");
  });
});

describe("AXB3: an early callback", () => {
  it("waits until the run is ready for it", async () => {
    let early: Promise<Answer> | undefined;
    const asked = await waiting(
      {},
      {
        before: (request) => {
          if (request.method === "GET") return undefined;
          if (request.rpc !== "SendMessage")
            return json({ jsonrpc: "2.0", id: idOf(request), result: TASK });
          const { params } = JSON.parse(request.body) as {
            params: { configuration: { taskPushNotificationConfig: { url: string } } };
          };
          const { url } = params.configuration.taskPushNotificationConfig;
          early = worlds.at(-1)?.ask(url.slice(CALLBACKS.length), { json: { task: DONE } });
          return json({ jsonrpc: "2.0", id: idOf(request), result: { task: TASK } });
        },
      },
    );
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 10)); // decryption takes real time
      await asked.world.clock.advance(3_000);
    }
    expect((await early)?.status).toBe(204);
    expect((await asked.run()).status).toBe("completed");
    expect(lastTold(asked.model, 1)).toBe("Rain");
  });
});

describe("AXB1: an untrusted callback", () => {
  it("gets the same answer for any fault", async () => {
    const { call, path, run } = await waiting({ token: "shown-by-friends" });
    const [other] = [await waiting()];
    const wrong = { "x-a2a-notification-token": "shown-by-enemies" };
    const answers = [
      await call({ task: DONE }, { headers: wrong }),
      await call({ task: DONE }),
      await call({ task: DONE }, { path: `${path().slice(0, -4)}AAAA` }),
      await call({ task: DONE }, { path: "/a2a/callbacks/none" }),
      await call({ task: DONE }, { path: `/a2a/callbacks/${"a".repeat(5_000)}` }),
    ];
    for (const { status, json: problem } of answers) {
      expect(status).toBe(404);
      expect(problem["detail"]).toBe("there is no callback at this address");
    }
    expect((await run()).status).toBe("waiting");
    expect(
      (await call({ task: DONE }, { headers: { "x-a2a-notification-token": "shown-by-friends" } }))
        .status,
    ).toBe(204);
    expect((await run()).status).toBe("completed");
    expect((await other.run()).status).toBe("waiting");
  });

  it("reveals no run in its address", async () => {
    const { path, run } = await waiting();
    const token = path().split("/").at(-1) ?? "";
    const shown = Buffer.from(token, "base64url").toString("latin1");
    const { id } = await run();
    expect(shown).not.toContain(id);
    expect(Buffer.from(shown.split(".")[2] ?? "", "base64").toString("latin1")).not.toContain(id);
  });

  it.each([
    ["{", 400],
    ["[]", 400],
    ['{"task":{"id":{}}}', 400],
    ["null", 400],
  ])("with the body %s is refused", async (body, status) => {
    const { call } = await waiting();
    expect((await call(body)).status).toBe(status);
  });
});

describe("AXB2: signatures", () => {
  const updates = { signature: { secret: { secret: "TEAM_SECRET" }, tolerance: 300 } } as const;

  it("are checked, and made within the tolerance", async () => {
    const { world, call, run } = await waiting(updates);
    const body = JSON.stringify({ task: DONE });
    const now = world.clock.now();
    const refused = [
      {},
      await signed(body, now, "another secret"),
      await signed(`${body} `, now),
      await signed(body, now - 301_000),
      await signed(body, now + 301_000),
      { ...(await signed(body, now)), "x-a2a-signature-timestamp": String(now / 1000 + 1) },
      { ...(await signed(body, now)), "x-a2a-signature-timestamp": "soon" },
      { ...(await signed(body, now)), "x-a2a-signature": "zz" },
    ];
    for (const headers of refused) expect((await call(body, { headers })).status).toBe(404);
    expect((await run()).status).toBe("waiting");
    const { "x-a2a-signature": hex = "", ...rest } = await signed(body, now - 299_000);
    expect(
      (await call(body, { headers: { ...rest, "x-a2a-signature": `sha256=${hex}` } })).status,
    ).toBe(204);
    expect((await run()).status).toBe("completed");
  });
});

describe("an agent that cannot call back", () => {
  it.each([
    [
      "without the capability",
      { push: false },
      "does not call back (capabilities.pushNotifications)",
    ],
    ["for a Worker without a key", { secretsKey: "" }, "EDGECREW_SECRETS_KEY"],
  ])("%s is reported to the model, and no message is sent", async (_, options, message) => {
    const { model, requests } = await waiting({}, options);
    expect(lastTold(model, 1)).toContain(message);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});

it("ends its wait with a real server's notification", async () => {
  vi.spyOn(console, "info").mockImplementation(() => undefined);
  vi.spyOn(console, "log").mockImplementation(() => undefined); // the SDK tells of each notification
  let deliver: ((url: string, init: RequestInit) => Promise<unknown>) | undefined;
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const delivered: number[] = [];
  vi.stubGlobal("fetch", async (url: unknown, init?: RequestInit) => {
    await deliver?.(String(url), init ?? {});
    return new Response(null, { status: 204 });
  });
  const { run, world, model, sent } = await waiting(
    { authentication: { scheme: "Bearer", credentials: "cb-secret" } },
    {
      before: undefined as never,
      script: async ({ status, artifact }) => {
        status("WORKING");
        await gate;
        artifact("Rain at last");
        status("COMPLETED");
      },
    },
  );
  expect(sent().authentication).toMatchObject({ scheme: "Bearer", credentials: "cb-secret" });
  deliver = async (url, init) => {
    const answer = await world.request(url.slice(CALLBACKS.length), {
      method: "POST",
      body: bodyOf(init),
      headers: Object.fromEntries(new Headers(init.headers)),
    });
    delivered.push(answer.status);
  };
  expect((await run()).status).toBe("waiting");
  go();
  for (let turn = 0; turn < 200 && (await run()).status !== "completed"; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await world.clock.settle();
  }
  expect(await run()).toMatchObject({ status: "completed" });
  expect(lastTold(model, 1)).toBe("Rain at last");
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(delivered).toContain(204);
});
