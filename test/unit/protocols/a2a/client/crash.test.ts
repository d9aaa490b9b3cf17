// Conversations with remote agents, cut off after every write of the journal.
import { describe, expect, it, vi } from "vitest";
import { a2aClient, remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { a2aPeer, json, type Peer, type PeerOptions } from "../../../../support/a2a-peer.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import { lastTold, scriptedAgent, soloCrew } from "../../../../support/crew-harness.ts";
import { modelCatalog } from "../../../../../src/llm/model-catalog.ts";
import { faultyRunStore } from "../../../../support/faulty-run-store.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { sqliteD1 } from "../../../../support/sqlite-d1.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import {
  cutAfterEveryResult,
  cutAfterEveryWrite,
  type CutOffRun,
} from "../../../../support/cut-off.ts";

const sentIds = (peer: Peer): string[] =>
  peer
    .sends()
    .map(
      ({ body }) =>
        (JSON.parse(body) as { params: { message: { messageId: string } } }).params.message
          .messageId,
    );

type Cut = {
  readonly peers: readonly Peer[];
  readonly whole: CutOffRun;
  readonly cut: readonly CutOffRun[];
};

async function cutOff(
  config: Partial<A2AClientConfig>,
  options: PeerOptions & {
    readonly messages?: readonly string[];
    readonly every?: typeof cutAfterEveryWrite;
  } = {},
): Promise<Cut> {
  const { messages = ["Rain in Rome?"], every = cutAfterEveryResult, ...peerOptions } = options;
  const peers: Peer[] = [];
  const { whole, cut } = await every(() => {
    const peer = a2aPeer(peerOptions);
    peers.push(peer);
    const { agent } = scriptedAgent(askingInTurn(messages), {
      a2a: remoteAgent({ endpoint: peer.url, ...config }, { fetch: peer.fetch }),
    });
    return {
      program: soloCrew(agent).program(),
      answer: () => ({ feedback: "Rome, Italy" }),
    };
  });
  expect(cut.length).toBeGreaterThan(5);
  return { peers, whole, cut };
}

/** Wherever it was cut off, the run ends as it would have, and has told the same. */
function expectSame({ whole, cut }: Cut): void {
  expect(whole.run.output).toMatchObject({ raw: "It will rain" });
  for (const each of cut) {
    expect(each.run.output).toEqual(whole.run.output);
    expect(typesOf(each)).toEqual(typesOf(whole));
  }
}

const chunks = ({ store }: RunWorld): number =>
  store.events.read(0, 1_000).filter(({ type }) => type === "a2a_streaming_chunk").length;

const typesOf = ({ events }: CutOffRun): string[] =>
  events
    .map(({ type, path }) => `${path} ${type}`)
    .filter((event) => / a2a_/.test(event) && !/ a2a_streaming_/.test(event)) // a task that is found has no stream
    .toSorted();

/** However often a message was sent: it has one id, and the remote agent did the work once. */
function expectOnce({ peers }: Cut, messages: readonly string[]): void {
  for (const peer of peers) {
    expect(new Set(sentIds(peer)).size).toBe(messages.length);
    expect(peer.turns.map(({ text }) => text)).toEqual(messages);
  }
}

describe("AXR1: an interrupted run", () => {
  it("never sends a message as a new one while its answer streams", async () => {
    const done = await cutOff({}, { every: cutAfterEveryWrite });
    expectSame(done);
    expectOnce(done, ["Rain in Rome?"]);
    expect(done.cut.length).toBeGreaterThan(20);
  });

  it("AXV1: continues a conversation of several messages as it was", async () => {
    const messages = ["Rain?", "In Rome", "Thanks"];
    const done = await cutOff(
      {},
      {
        messages,
        script: ({ text, status, artifact }) => {
          if (text === "Rain?") return status("INPUT_REQUIRED", "Where?");
          artifact(`Yes: ${text}`);
          status("COMPLETED");
        },
      },
    );
    expectSame(done);
    expectOnce(done, messages);
    for (const { turns } of done.peers) {
      const [first, second, third] = turns;
      expect(second).toMatchObject({ taskId: first?.taskId, isFollowUp: true });
      expect(third).toMatchObject({ contextId: first?.contextId, isFollowUp: false });
      expect(third?.request.message?.referenceTaskIds).toEqual([first?.taskId]);
    }
  });

  it("continues polling at its place", async () => {
    const polls = new Map<string, number>();
    const done = await cutOff(
      { updates: { type: "polling", interval: 30, timeout: 600 } },
      {
        before: ({ rpc, body }) => {
          const { params } = JSON.parse(body || "{}") as { params?: { id?: string } };
          const count = (polls.get(params?.id ?? "") ?? 0) + 1;
          if (rpc !== "GetTask" || params?.id === undefined) return undefined;
          polls.set(params.id, count);
          if (count > 2) return undefined;
          const task = { id: params.id, status: { state: "TASK_STATE_WORKING" } };
          return json({ jsonrpc: "2.0", id: 1, result: task });
        },
        script: async ({ status, artifact }) => {
          status("WORKING");
          artifact("Rain");
          status("COMPLETED");
        },
      },
    );
    expect(done.whole.run.output).toMatchObject({ raw: "It will rain" });
    for (const each of done.cut) expect(each.run.output).toEqual(done.whole.run.output);
    expectOnce(done, ["Rain in Rome?"]);
  });

  it("waits for a person and sends the words once", async () => {
    const done = await cutOff(
      { inputRequired: "person" },
      {
        script: ({ text, status, artifact }) => {
          if (text === "Rain in Rome?") return status("INPUT_REQUIRED", "Which Rome?");
          artifact(`Yes in ${text}`);
          status("COMPLETED");
        },
      },
    );
    expectSame(done);
    expectOnce(done, ["Rain in Rome?", "Rome, Italy"]);
    expect(done.cut.length).toBeGreaterThan(5);
  });
});

it("AXR2: a run interrupted during its wait for a callback still waits for the same task", async () => {
  const peers: Peer[] = [];
  const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
  const done = {
    ...task,
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ artifactId: "a", parts: [{ text: "Rain" }] }],
  };
  const { whole, cut } = await cutAfterEveryResult(() => {
    const peer = a2aPeer({
      push: true,
      before: ({ method, body, rpc }) => {
        if (method === "GET") return undefined;
        const { id } = JSON.parse(body) as { id: number };
        const result = rpc === "ListTasks" ? { tasks: [] } : { task };
        return json({ jsonrpc: "2.0", id, result });
      },
    });
    peers.push(peer);
    const a2a = a2aClient({
      fetch: peer.fetch,
      callbackUrl: "https://crew.example.com",
    }).services?.a2a?.({
      tenant: "acme",
      env: { DB: sqliteD1() },
      environment: { variables: { EDGECREW_SECRETS_KEY: btoa("k".repeat(32)) } },
      outbound: {},
      services: {},
    });
    const { agent } = scriptedAgent(askingInTurn(["Rain in Rome?"]), {
      a2a: { endpoint: peer.url, updates: { type: "push", timeout: 86_400 } },
    });
    return {
      program: soloCrew(agent).program(),
      services: a2a === undefined ? {} : { a2a },
      answer: () => ({ value: { update: { task: done } } }),
    };
  });
  expect(whole.run.output).toMatchObject({ raw: "It will rain" });
  for (const each of cut) expect(each.run.output).toEqual(whole.run.output);
  for (const peer of peers) expect(new Set(sentIds(peer)).size).toBe(1);
});

describe("AXR2: a run interrupted in the middle of a stream", () => {
  it("reads the task and subscribes to it instead of sending again", async () => {
    const peer = a2aPeer({
      script: async ({ status, artifact }) => {
        status("WORKING");
        artifact("Ra", { last: false });
        await gate;
        artifact("in", { append: true });
        status("COMPLETED");
      },
    });
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { agent, model } = scriptedAgent(askingInTurn(["Rain in Rome?"]), {
      a2a: remoteAgent(peer.url, { fetch: peer.fetch }),
    });
    let alive = 0;
    const world = new RunWorld(soloCrew(agent).program().run, {
      fixture: openSqlStore(),
      models: modelCatalog({ variables: {} }),
      wrap: (store) => {
        const mine = ++alive;
        return faultyRunStore(store, () => mine < alive);
      },
    });
    await world.start();
    void world.ring().catch(() => undefined);
    await vi.waitFor(() => expect(chunks(world)).toBe(2));
    world.restart();
    await world.clock.advance((world.alarm.dueAtMs ?? 0) - world.clock.now());
    const second = world.ring();
    await vi.waitFor(() =>
      expect(peer.requests.map(({ rpc }) => rpc)).toContain("SubscribeToTask"),
    );
    open();
    await second;
    const run = await world.host.status();
    expect(run.output).toMatchObject({ raw: "It will rain" });
    expect(lastTold(model, model.calls.length - 1)).toBe("Rain");
    expect(peer.sends()).toHaveLength(1);
  });
});
