// How answers that take longer arrive: streams that break off, and polls.
import { describe, expect, it } from "vitest";
import { remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  a2aPeer,
  json,
  sse,
  type Peer,
  type PeerOptions,
  type PeerRequest,
} from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  scriptedAgent,
  soloCrew,
  startCrew,
  type StartedRun,
} from "../../../../support/crew-harness.ts";

async function asking(
  options: PeerOptions & { readonly config?: Partial<A2AClientConfig> } = {},
): Promise<{ peer: Peer; told: string; run: StartedRun; tookMs: number }> {
  const { config, ...peerOptions } = options;
  const peer = a2aPeer(peerOptions);
  const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
    a2a: remoteAgent({ endpoint: peer.url, ...config }, { fetch: peer.fetch }),
  });
  const run = startCrew(soloCrew(agent));
  const beganMs = run.clock.now();
  await run.output();
  return { peer, run, told: lastTold(model, 1), tookMs: run.clock.now() - beganMs };
}

const TASK = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
const DONE = {
  ...TASK,
  status: { state: "TASK_STATE_COMPLETED" },
  artifacts: [{ artifactId: "a", parts: [{ text: "Rain" }] }],
};
const idOf = ({ body }: PeerRequest): number => (JSON.parse(body) as { id: number }).id;
const rpc = (request: PeerRequest, result: unknown): Response =>
  json({ jsonrpc: "2.0", id: idOf(request), result });
const streamOf = (request: PeerRequest, ...results: unknown[]): Response =>
  sse(
    (async function* () {
      for (const result of results) {
        if (result instanceof Error) throw result;
        yield { jsonrpc: "2.0", id: idOf(request), result };
      }
    })(),
  );
const isCard = ({ method }: PeerRequest): boolean => method === "GET";

describe("AXR3: a broken stream", () => {
  it("is taken up by reading the task", async () => {
    const { told, peer, run } = await asking({
      before: (request) => {
        if (isCard(request)) return undefined;
        if (request.rpc === "SendStreamingMessage")
          return streamOf(request, { task: TASK }, new Error("cable cut"));
        return rpc(request, DONE);
      },
    });
    expect(told).toBe("Rain");
    expect(peer.requests.map((each) => each.rpc).slice(1)).toEqual([
      "SendStreamingMessage",
      "GetTask",
    ]);
    expect(run.kept("a2a_connection_error")).toMatchObject([{ operation: "stream" }]);
  });

  it("is subscribed to again at once, after two and after four seconds, and then abandoned", async () => {
    const { told, peer, tookMs } = await asking({
      before: (request) => {
        if (isCard(request)) return undefined;
        if (request.rpc === "GetTask") return rpc(request, TASK);
        return streamOf(request, { task: TASK }, new Error("cable cut"));
      },
    });
    expect(told).toContain(
      "did not do it (failed): the stream broke off and could not be taken up again",
    );
    expect(peer.requests.map((each) => each.rpc).slice(1)).toEqual([
      "SendStreamingMessage",
      "GetTask",
      "SubscribeToTask",
      "GetTask",
      "SubscribeToTask",
      "GetTask",
      "SubscribeToTask",
    ]);
    expect(tookMs).toBe(6_000);
  });

  it("continues with the subscription", async () => {
    const { told } = await asking({
      before: (request) => {
        if (isCard(request)) return undefined;
        if (request.rpc === "GetTask") return rpc(request, TASK);
        return request.rpc === "SubscribeToTask"
          ? streamOf(
              request,
              { task: TASK },
              { artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: DONE.artifacts[0] } },
              { statusUpdate: { taskId: "t-1", contextId: "c-1", status: DONE.status } },
            )
          : streamOf(request, {
              statusUpdate: { taskId: "t-1", contextId: "c-1", status: TASK.status },
            });
      },
    });
    expect(told).toBe("Rain");
  });

  it("without an answer and a task is sent again, with the same id", async () => {
    let count = 0;
    const ids: string[] = [];
    const { told } = await asking({
      before: (request) => {
        if (isCard(request) || request.rpc === "ListTasks")
          return isCard(request) ? undefined : rpc(request, { tasks: [] });
        ids.push(
          (JSON.parse(request.body) as { params: { message: { messageId: string } } }).params
            .message.messageId,
        );
        return (count += 1) === 1
          ? streamOf(request)
          : streamOf(request, {
              message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Here" }] },
            });
      },
    });
    expect(told).toBe("Here");
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
  });
});

describe("AXR4: polls", () => {
  const after = (polls: number): NonNullable<PeerOptions["before"]> => {
    let count = 0;
    return (request) => {
      if (isCard(request)) return undefined;
      if (request.rpc === "SendMessage") return rpc(request, { task: TASK });
      return rpc(request, (count += 1) > polls ? DONE : TASK);
    };
  };

  it("are made by durable timers until the task is done", async () => {
    const { told, peer, run, tookMs } = await asking({
      before: after(3),
      config: { updates: { type: "polling", interval: 10 } },
    });
    expect(told).toBe("Rain");
    expect(tookMs).toBe(40_000);
    expect(run.kept("a2a_polling_status").map((event) => "state" in event && event.state)).toEqual([
      "working",
      "working",
      "working",
      "completed",
    ]);
    const send = JSON.parse(peer.requests[1]?.body ?? "") as { params: { configuration: object } };
    expect(send.params.configuration).toMatchObject({ returnImmediately: true });
    const poll = JSON.parse(peer.requests[2]?.body ?? "") as { params: object };
    expect(poll.params).toMatchObject({ id: "t-1", historyLength: 100 });
  });

  it("end as failed after maxPolls", async () => {
    const { told, peer } = await asking({
      before: after(99),
      config: { updates: { type: "polling", maxPolls: 2 } },
    });
    expect(told).toContain("it was not ready after 2 polls");
    expect(peer.requests.filter((each) => each.rpc === "GetTask")).toHaveLength(2);
  });

  it("end as failed after the timeout, by default the agent's", async () => {
    const { told, tookMs } = await asking({
      before: after(99),
      config: { updates: "polling", timeout: 20 },
    });
    expect(told).toContain("it was not ready after 20 seconds");
    expect(tookMs).toBe(20_000);
  });

  it("replace the stream for an agent without streaming", async () => {
    const { told, peer } = await asking({ before: after(1), streaming: false });
    expect(told).toBe("Rain");
    expect(peer.sends().map((each) => each.rpc)).toEqual(["SendMessage"]);
  });
});
