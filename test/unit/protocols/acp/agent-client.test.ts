import { describe, expect, it } from "vitest";
import {
  A2AAgentClient,
  A2AAgentServer,
  createAgentCard,
  getTaskResult,
  type AgentCard,
  type AgentClientOptions,
  type Artifact,
  type Task,
} from "../../../../src/entry/acp.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

function card(...skills: readonly string[]): AgentCard {
  return createAgentCard({
    name: "an agent",
    description: "works",
    skills: skills.map((id) => ({
      id,
      name: id,
      description: id,
      inputModes: [],
      outputModes: [],
    })),
  });
}

/** A server whose tasks come to `text`. */
function server(text: string, ...skills: readonly string[]): A2AAgentServer {
  return new A2AAgentServer(card(...skills), async (task) => {
    task.artifacts.push({ name: "answer", parts: [{ type: "text", text }] });
    return task;
  });
}

function taskOf(more: Partial<Task>): Task {
  const status = { status: "completed", timestamp: 0 } as const;
  return { id: "t", sessionId: "t", status, messages: [], artifacts: [], history: [], ...more };
}

const text = (value: string) => ({ type: "text", text: value }) as const;
const file = { type: "file", file: { name: "a.png", mimeType: "image/png" } } as const;
const artifact = (...parts: Artifact["parts"]): Artifact => ({ name: "a", parts });

describe("getTaskResult", () => {
  it.each<[string, Partial<Task>, string]>([
    [
      "the last artifact's texts",
      { artifacts: [artifact(text("a")), artifact(text("b"), file, text("c"))] },
      "b\nc",
    ],
    [
      "the agent's last message if the last artifact has no text",
      {
        artifacts: [artifact(text("earlier")), artifact(file)],
        messages: [
          { role: "agent", parts: [text("first")] },
          { role: "agent", parts: [text("hi")] },
          { role: "user", parts: [text("thanks")] },
        ],
      },
      "hi",
    ],
    [
      "empty for an agent's message without text",
      {
        messages: [{ role: "agent", parts: [file] }],
        status: { status: "failed", message: "no", timestamp: 0 },
      },
      "",
    ],
    [
      "the status's message",
      { status: { status: "failed", message: "boom", timestamp: 0 } },
      "boom",
    ],
    ["nothing", {}, ""],
    [
      "an empty text of an artifact",
      { artifacts: [artifact(text(""))], messages: [{ role: "agent", parts: [text("hi")] }] },
      "",
    ],
  ])("is %s", (_, task, expected) => {
    expect(getTaskResult(taskOf(task))).toBe(expected);
  });
});

describe("createAgentCard", () => {
  it("has defaults for all missing fields", () => {
    expect(createAgentCard({ name: "a", description: "b", skills: [] })).toEqual({
      name: "a",
      description: "b",
      skills: [],
      url: "local://edgecrew",
      version: "1.0.0",
      capabilities: { streaming: false, pushNotifications: false },
    });
  });
});

describe("a client", () => {
  it("finds agents by key and by exact skill, in the order of registration", () => {
    const client = new A2AAgentClient();
    client.registerAgent("b", server("b", "x"));
    client.registerAgent("a", server("a", "x", "y"));
    client.registerAgent("c", server("c", "xx"));
    expect(client.listAgents()).toEqual(["b", "a", "c"]);
    expect(client.findAgentsWithSkill("x")).toEqual(["b", "a"]);
    expect(client.findAgentsWithSkill("z")).toEqual([]);
    expect(client.getAgentCard("a")?.skills).toHaveLength(2);
    expect(client.getAgentCard("nobody")).toBeUndefined();
    const other = server("other");
    client.registerAgent("b", other);
    expect(client.getAgentCard("b")).toBe(other.getAgentCard());
    expect(client.listAgents()).toEqual(["b", "a", "c"]);
  });

  it("submits a text as a task of its own id", async () => {
    const clock = new SimulatedClock();
    const client = new A2AAgentClient({ clock });
    client.registerAgent("a", server("done"));
    const task = await client.submitTask("a", "do it", { by: "me" });
    expect(task.id).toMatch(new RegExp(`^task_${clock.now()}_[0-9a-z]{5}$`));
    expect(task).toMatchObject({
      messages: [{ role: "user", parts: [{ type: "text", text: "do it" }] }],
      metadata: { by: "me" },
    });
    expect(getTaskResult(task)).toBe("done");
    expect(client.getTask("a", task.id)).toBe(task);
    expect(client.getTask("a", "other")).toBeUndefined();
    expect(client.getTask("nobody", task.id)).toBeUndefined();
    await expect(client.submitTask("nobody", "do it")).rejects.toMatchObject({ code: "not_found" });
  });
});

/** A client with a remote agent `far`, whose answers the test makes. */
function remoteWorld(
  answer: (request: Request) => Response | Promise<Response>,
  options: AgentClientOptions = {},
) {
  const clock = new SimulatedClock();
  const requests: Request[] = [];
  const client = new A2AAgentClient({
    clock,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      requests.push(request.clone());
      return answer(request);
    },
    ...options,
  });
  const remote = {
    url: "https://far.example.com/base/",
    card: card("x"),
    lastHeartbeat: clock.now(),
  };
  client.registerRemoteCard("far", remote);
  return { client, clock, requests };
}

const TASK = {
  id: "1",
  status: { status: "completed" },
  result: "far away",
  artifacts: [artifact(text("far away"))],
};

describe("remote agents", () => {
  it("are sent the task, and complete it with their artifacts", async () => {
    const { client, requests } = remoteWorld(() => Response.json(TASK));
    const task = await client.submitTask("far", "do it");
    expect(task).toMatchObject({ status: { status: "completed" }, artifacts: TASK.artifacts });
    expect(task.history.map(({ status }) => status)).toEqual(["submitted", "working", "completed"]);
    expect(getTaskResult(task)).toBe("far away");
    expect(client.getTask("far", task.id)).toBe(task);
    const [request] = requests;
    expect(request?.url).toBe("https://far.example.com/base/api/a2a/tasks/send");
    expect(await request?.json()).toEqual({ agent: "far", message: "do it" });
  });

  it.each<[string, () => Response | Promise<Response>, string]>([
    [
      "refuse",
      () => Response.json({ error: "busy" }, { status: 503 }),
      "the remote agent answered 503: busy",
    ],
    [
      "refuse in another form",
      () => Response.json({ code: "X", message: "no" }, { status: 400 }),
      "the remote agent answered 400: no",
    ],
    [
      "answer with a page",
      () => new Response("<html>", { status: 502 }),
      "the remote agent answered 502: <html>",
    ],
    [
      "answer with no task",
      () => Response.json([1]),
      "the remote agent answered 200 with [1], which is no task",
    ],
    [
      "answer with an empty body",
      () => new Response(null),
      'the remote agent answered 200 with "", which is no task',
    ],
    [
      "answer with a failed task",
      () => Response.json({ ...TASK, status: { status: "failed" }, result: "boom" }),
      "boom",
    ],
    [
      "answer with a canceled task",
      () => Response.json({ status: "canceled" }),
      "the remote task is canceled",
    ],
    [
      "answer without end",
      () => new Response("x".repeat(2 ** 20 + 1)),
      "the answer may have at most 1048576 bytes",
    ],
    [
      "are not there",
      () => Promise.reject(new TypeError("connection refused")),
      "connection refused",
    ],
    [
      "lead to a private network",
      () => new Response(null, { status: 307, headers: { location: "http://169.254.169.254/" } }),
      "the remote agent's url redirects to an address that must not be an address of a private network or of this machine",
    ],
  ])("RG2: make a failed task when they %s", async (_, answer, message) => {
    const { client } = remoteWorld(answer);
    const { status } = await client.submitTask("far", "do it");
    expect(status.status).toBe("failed");
    expect(status.message).toContain(message);
  });

  it("RG2: make a failed task when they time out, and their request is aborted", async () => {
    const { client, clock, requests } = remoteWorld(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
    const done = client.submitTask("far", "do it");
    await clock.advance(119_999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect((await done).status).toMatchObject({
      status: "failed",
      message: "the remote agent did not answer within 120 s",
    });
    expect(clock.pending).toBe(0);
  });

  it("keep only valid artifacts", async () => {
    const artifacts = [
      { name: 7, parts: [text("a"), { type: "video" }, null] },
      "text",
      { name: "b" },
    ];
    const { client } = remoteWorld(() => Response.json({ ...TASK, artifacts, result: "r" }));
    const task = await client.submitTask("far", "do it");
    expect(task.artifacts).toEqual([{ name: "artifact", parts: [text("a")] }]);
  });

  it("are listed, touched and forgotten", async () => {
    const { client, clock } = remoteWorld(() => Response.json(TASK));
    await clock.advance(5);
    expect(client.touchRemoteAgent("far")).toBe(true);
    expect(client.touchRemoteAgent("near")).toBe(false);
    expect(client.listRemoteAgents()).toMatchObject([{ key: "far", lastHeartbeat: clock.now() }]);
    expect(client.getAgentCard("far")?.skills).toHaveLength(1);
    expect(client.unregisterRemoteAgent("far")).toBe(true);
    expect(client.unregisterRemoteAgent("far")).toBe(false);
    expect(client.findAgentsWithSkill("x")).toEqual([]);
  });

  it("RG1: are chosen by name or by skill, the best first", async () => {
    const { client, clock } = remoteWorld(() => Response.json(TASK));
    client.registerAgent("local", server("here", "x"));
    const nowMs = clock.now();
    const remote = (lastHeartbeat: number) => ({
      url: "https://r.example.com",
      card: card("x"),
      lastHeartbeat,
    });
    expect(client.findAgentsWithSkill("x")).toEqual(["local", "far"]);
    expect(client.resolveTarget({ agent: "whoever" })).toBe("whoever");
    expect(client.resolveTarget({ skill: "x" })).toBe("far");
    client.registerRemoteCard("old", remote(nowMs - 60_000));
    expect(client.resolveTarget({ skill: "x" })).toBe("far");
    client.registerRemoteCard("old-always-on", remote(nowMs - 60_000));
    expect(client.resolveTarget({ skill: "x" })).toBe("old-always-on");
    client.registerRemoteCard("new always on", remote(nowMs - 59_999));
    expect(client.resolveTarget({ skill: "x" })).toBe("new always on");
    expect(() => client.resolveTarget({ skill: "y" })).toThrow('no agent has the skill "y"');
    expect(() => client.resolveTarget({})).toThrow("got neither");
    expect(() => client.resolveTarget({ agent: "a", skill: "x" })).toThrow("got both");
  });
});
