// The tasks of one agent: what every operation does in every status, as Code Buddy has it and as it should be.
import { describe, expect, it } from "vitest";
import {
  A2AAgentServer,
  createAgentCard,
  type AgentServerOptions,
  type A2AMessage,
  type Task,
  type TaskEvents,
  type TaskExecutor,
} from "../../../../src/entry/acp.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const card = createAgentCard({ name: "clerk", description: "A clerk", skills: [] });
const EVENTS = [
  "task:submitted",
  "task:completed",
  "task:failed",
  "task:canceled",
  "task:yielded",
  "task:resumed",
] as const;

function said(text: string): A2AMessage {
  return { role: "user", parts: [{ type: "text", text }] };
}

/** An executor whose ends the test decides on. */
class Desk {
  readonly clock = new SimulatedClock();
  readonly events: Array<{ name: string } & Partial<TaskEvents["task:failed"]>> = [];
  readonly signals: AbortSignal[] = [];
  readonly server: A2AAgentServer;
  readonly #ends: Array<{ resolve: (task?: Task) => void; reject: (error: Error) => void }> = [];

  constructor(options: AgentServerOptions = {}, executor?: TaskExecutor) {
    const held: TaskExecutor = (task, signal) =>
      new Promise((resolve, reject) => {
        this.signals.push(signal);
        this.#ends.push({ resolve: (other = task) => resolve(other), reject });
      });
    this.server = new A2AAgentServer(card, executor ?? held, { clock: this.clock, ...options });
    for (const name of EVENTS)
      this.server.on(name, (event) => this.events.push({ name, ...event }));
  }

  /** Submits `t`, whose executor then works. */
  async submit(message = said("go"), id = "t"): Promise<{ readonly done: Promise<Task> }> {
    const done = this.server.submitTask({ id, message });
    done.catch(() => undefined);
    await settled();
    return { done };
  }

  async resolve(execution = 0, returned?: Task): Promise<void> {
    this.#ends[execution]?.resolve(returned);
    await settled();
  }

  async reject(message: string, execution = 0): Promise<void> {
    this.#ends[execution]?.reject(new Error(message));
    await settled();
  }

  get executions(): number {
    return this.#ends.length;
  }

  get task(): Task {
    const task = this.server.getTask("t");
    if (task === undefined) throw new Error("the task is gone");
    return task;
  }

  get states(): readonly string[] {
    return this.task.history.map(({ status }) => status);
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

/** How a task gets to each status of the table. */
const FROM: Record<string, (desk: Desk) => Promise<void>> = {
  none: async () => undefined,
  working: async (desk) => {
    await desk.submit();
  },
  yielded: async (desk) => {
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
  },
  asking: async (desk) => {
    await desk.submit();
    desk.task.status = { status: "input-required", message: "which?", timestamp: 1 };
    await desk.resolve();
    if (desk.task.status.status === "completed")
      desk.task.status = { status: "input-required", message: "which?", timestamp: 1 };
  },
  completed: async (desk) => {
    await desk.submit();
    await desk.resolve();
  },
  failed: async (desk) => {
    await desk.submit();
    await desk.reject("boom");
  },
  canceled: async (desk) => {
    await desk.submit();
    desk.server.cancelTask("t");
  },
  "completed with a payload": async (desk) => {
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
    await desk.resolve();
  },
  "failed with a payload": async (desk) => {
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
    await desk.reject("boom");
  },
  "canceled with a payload": async (desk) => {
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
    desk.server.cancelTask("t");
  },
};

/** What each operation answers or throws, and the status that it leaves. */
const OPERATIONS: Record<string, (desk: Desk) => Promise<unknown>> = {
  submit: async (desk) => {
    const { done } = await desk.submit(said("something else"));
    return Promise.race([
      done.then(
        () => "resolved",
        (error: Error) => error.message,
      ),
      settled().then(() => "pending"),
    ]);
  },
  resolves: async (desk) => desk.resolve(),
  rejects: async (desk) => desk.reject("late"),
  yield: async (desk) => desk.server.yieldTask("t", { reason: "again" }),
  send: (desk) => outcome(desk.server.sendMessage("t", said("more"))),
  resume: (desk) => outcome(desk.server.resumeTask("t")),
  cancel: async (desk) => desk.server.cancelTask("t"),
};

async function outcome(done: Promise<Task>): Promise<string> {
  const ended = done.then(
    () => "resolved",
    (error: Error) => error.message,
  );
  return Promise.race([ended, settled().then(() => "pending")]);
}

const NOT_FOUND = 'task "t" was not found';
const awaits = (status: string) => `task "t" is not awaiting input: its status is ${status}`;
const yields = (status: string) => `task "t" was not yielded: its status is ${status}`;
const USED = 'task "t" exists with another message: use another id, or send a message to it';

type Cell = readonly [answer: unknown, status: string | undefined];

/** The table: from, operation, and what is right. Where Code Buddy does something else, that stands behind it. */
const TABLE: ReadonlyArray<readonly [from: string, operation: string, fix: Cell, upstream?: Cell]> =
  [
    ["none", "submit", ["pending", "working"]],
    ["none", "yield", [false, undefined]],
    ["none", "send", [NOT_FOUND, undefined]],
    ["none", "resume", [NOT_FOUND, undefined]],
    ["none", "cancel", [false, undefined]],

    ["working", "submit", [USED, "working"], ["pending", "working"]],
    ["working", "resolves", [undefined, "completed"]],
    ["working", "rejects", [undefined, "failed"]],
    ["working", "yield", [true, "input-required"]],
    ["working", "send", [awaits("working"), "working"]],
    ["working", "resume", [yields("working"), "working"]],
    ["working", "cancel", [true, "canceled"]],

    ["yielded", "submit", [USED, "input-required"], ["pending", "working"]],
    ["yielded", "resolves", [undefined, "input-required"], [undefined, "completed"]],
    ["yielded", "rejects", [undefined, "failed"]],
    ["yielded", "yield", [false, "input-required"]],
    ["yielded", "send", ["pending", "working"]],
    ["yielded", "resume", ["pending", "working"]],
    ["yielded", "cancel", [true, "canceled"]],

    ["asking", "submit", [USED, "input-required"], ["pending", "working"]],
    ["asking", "yield", [false, "input-required"]],
    ["asking", "send", ["pending", "working"]],
    ["asking", "resume", [yields("input-required"), "input-required"]],
    ["asking", "cancel", [true, "canceled"]],

    ["completed", "submit", [USED, "completed"], ["pending", "working"]],
    ["completed", "yield", [false, "completed"]],
    ["completed", "send", [awaits("completed"), "completed"]],
    ["completed", "resume", [yields("completed"), "completed"]],
    ["completed", "cancel", [false, "completed"]],
    [
      "completed with a payload",
      "resume",
      ["pending", "working"], // it has stayed input-required
      ["pending", "working"],
    ],

    ["failed", "submit", [USED, "failed"], ["pending", "working"]],
    ["failed", "yield", [false, "failed"]],
    ["failed", "send", [awaits("failed"), "failed"]],
    ["failed", "resume", [yields("failed"), "failed"]],
    ["failed", "cancel", [false, "failed"]],
    ["failed with a payload", "resume", [yields("failed"), "failed"], ["pending", "working"]],

    ["canceled", "submit", [USED, "canceled"], ["pending", "working"]],
    ["canceled", "resolves", [undefined, "canceled"], [undefined, "completed"]],
    ["canceled", "rejects", [undefined, "canceled"], [undefined, "failed"]],
    ["canceled", "yield", [false, "canceled"]],
    ["canceled", "send", [awaits("canceled"), "canceled"]],
    ["canceled", "resume", [yields("canceled"), "canceled"]],
    ["canceled", "cancel", [true, "canceled"]],
    ["canceled with a payload", "resume", [yields("canceled"), "canceled"], ["pending", "working"]],
  ];

describe.each([
  ["as it should be", undefined],
  ["as Code Buddy does", "code-buddy"],
] as const)("the table %s", (_, compat) => {
  const rows = TABLE.map(([from, operation, ...cells]) => ({ from, operation, cells }));

  it.each(rows)(
    "from $from, $operation",
    async ({ from, operation, cells: [fix, upstream = fix] }) => {
      const desk = new Desk(compat === undefined ? {} : { compat });
      await FROM[from]?.(desk);
      const answer = await OPERATIONS[operation]?.(desk);
      const [expected, status] = compat === undefined ? fix : upstream;
      expect([answer, desk.server.getTask("t")?.status.status]).toEqual([expected, status]);
    },
  );
});

describe("a task", () => {
  it("is submitted, works and completes", async () => {
    const desk = new Desk();
    const { done } = await desk.submit();
    await desk.resolve();
    expect(await done).toBe(desk.task);
    expect(desk.states).toEqual(["submitted", "working", "completed"]);
    expect(desk.events.map(({ name }) => name)).toEqual(["task:submitted", "task:completed"]);
    expect(desk.task).toMatchObject({ id: "t", sessionId: "t", artifacts: [] });
    expect(desk.server.getAgentCard()).toBe(card);
  });

  it("fails with the executor's words, and does not throw", async () => {
    const desk = new Desk();
    const { done } = await desk.submit();
    await desk.reject("boom");
    expect((await done).status).toMatchObject({ status: "failed", message: "boom" });
    expect(desk.events.at(-1)).toEqual({ name: "task:failed", taskId: "t", error: "boom" });
    expect(desk.server.cancelTask("t")).toBe(false);
  });

  it("fails if the executor throws before it is asynchronous", async () => {
    const desk = new Desk({}, () => {
      throw new TypeError("no");
    });
    const { done } = await desk.submit();
    expect((await done).status).toMatchObject({ status: "failed", message: "no" });
  });

  it("AG1: stays canceled when its executor ends afterwards, even with a status of its own", async () => {
    const desk = new Desk();
    await desk.submit();
    expect(desk.server.cancelTask("t")).toBe(true);
    desk.task.status = { status: "completed", timestamp: 5 };
    await desk.resolve();
    expect(desk.task.status.status).toBe("canceled");
    expect(desk.states).toEqual(["submitted", "working", "canceled"]);
    expect(desk.server.cancelTask("t")).toBe(true);
    expect(desk.states).toHaveLength(3);
    expect(desk.events.map(({ name }) => name)).toEqual(["task:submitted", "task:canceled"]);
  });

  it("signals a cancellation to its executor, unlike Code Buddy", async () => {
    const desk = new Desk();
    await desk.submit();
    desk.server.cancelTask("t");
    expect(desk.signals[0]?.aborted).toBe(true);
    const theirs = new Desk({ compat: "code-buddy" });
    await theirs.submit();
    theirs.server.cancelTask("t");
    theirs.server.cancelTask("t");
    expect(theirs.signals[0]?.aborted).toBe(false);
    expect(theirs.states).toEqual(["submitted", "working", "canceled", "canceled"]);
  });

  it("is not executed if a listener cancels it first", async () => {
    const desk = new Desk();
    desk.server.on("task:submitted", ({ taskId }) => void desk.server.cancelTask(taskId));
    const { done } = await desk.submit();
    expect((await done).status.status).toBe("canceled");
    expect(desk.executions).toBe(0);
  });

  it("goes on when a listener throws", async () => {
    const desk = new Desk();
    const off = desk.server.on("task:submitted", () => {
      throw new Error("a listener's own");
    });
    const logged = console.error;
    console.error = () => undefined;
    try {
      await desk.submit();
    } finally {
      console.error = logged;
    }
    await desk.resolve();
    expect(desk.task.status.status).toBe("completed");
    off();
    await desk.submit(said("other"), "u");
    expect(desk.server.getTask("u")?.status.status).toBe("working");
  });

  it("AG2: yields with a reason, and stays so when its executor ends", async () => {
    const desk = new Desk();
    const { done } = await desk.submit();
    await desk.clock.advance(7);
    expect(desk.server.yieldTask("t", { reason: "need key", resumeHint: "send it" })).toBe(true);
    expect(desk.task.status).toMatchObject({
      status: "input-required",
      message: "Yielded: need key",
    });
    await desk.resolve();
    expect((await done).status.status).toBe("input-required");
    expect(desk.task.yieldPayload).toMatchObject({ reason: "need key", resumeHint: "send it" });
    expect(desk.events.at(-1)).toEqual({ name: "task:yielded", taskId: "t", reason: "need key" });
  });

  it.each(["working", "completed", "submitted"] as const)(
    "AG2: stays yielded when its executor ends with the status %s",
    async (status) => {
      for (const other of [true, false]) {
        const desk = new Desk();
        await desk.submit();
        desk.server.yieldTask("t", { reason: "need key" });
        const state = { status, timestamp: 1 };
        if (!other) desk.task.status = state;
        await desk.resolve(0, other ? { ...desk.task, status: state } : desk.task);
        expect(desk.task.status).toMatchObject({ status: "input-required" });
        expect(desk.states).toEqual(["submitted", "working", "input-required"]);
      }
    },
  );

  it("has no payload any more when it fails while it is yielded", async () => {
    const desk = new Desk();
    await FROM["failed with a payload"]?.(desk);
    expect(desk.task).not.toHaveProperty("yieldPayload");
  });

  it("resumes with a state and a message, and ends as any other", async () => {
    const desk = new Desk();
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
    await desk.resolve();
    const resumed = desk.server.resumeTask("t", said("the key"), { a: 1 });
    await settled();
    expect(desk.task.status).toMatchObject({ status: "working", message: "Resumed after yield" });
    expect(desk.task.metadata).toEqual({ __yield_state: '{"a":1}' });
    expect(desk.task).not.toHaveProperty("yieldPayload");
    expect(desk.task.messages).toHaveLength(2);
    await desk.resolve(1);
    expect((await resumed).status.status).toBe("completed");
    expect(desk.events.map(({ name }) => name).slice(1)).toEqual([
      "task:yielded",
      "task:resumed",
      "task:completed",
    ]);
  });

  it("AG5: is not completed by an execution a resume has replaced", async () => {
    const desk = new Desk();
    await desk.submit();
    desk.server.yieldTask("t", { reason: "need key" });
    void desk.server.resumeTask("t");
    await settled();
    await desk.resolve(0);
    expect(desk.task.status.status).toBe("working");
    await desk.reject("late", 1);
    expect(desk.task.status).toMatchObject({ status: "failed", message: "late" });
  });

  it("asking for input ends after a message as after a submit", async () => {
    const desk = new Desk();
    await FROM["asking"]?.(desk);
    expect(desk.states).toEqual(["submitted", "working", "input-required"]);
    const done = desk.server.sendMessage("t", said("this one"));
    await settled();
    await desk.reject("boom", 1);
    expect((await done).status).toMatchObject({ status: "failed", message: "boom" });
    expect(desk.events.at(-1)?.name).toBe("task:failed");
  });

  it("of Code Buddy is left working by a message whose execution fails", async () => {
    const desk = new Desk({ compat: "code-buddy" });
    await FROM["asking"]?.(desk);
    const done = desk.server.sendMessage("t", said("this one"));
    await settled();
    await desk.reject("boom", 1);
    await expect(done).rejects.toThrow("boom");
    expect(desk.task.status.status).toBe("working");
  });

  it("clears a yield's payload with a message", async () => {
    const desk = new Desk();
    await FROM["yielded"]?.(desk);
    void desk.server.sendMessage("t", said("key"));
    await settled();
    expect(desk.task).not.toHaveProperty("yieldPayload");
    await desk.resolve(1);
    expect(desk.task.status.status).toBe("completed");
  });

  it.each([
    ["failed", "failed", "task:failed"],
    ["canceled", "canceled", "task:canceled"],
    ["input-required", "input-required", "task:submitted"],
    ["working", "completed", "task:completed"],
    ["submitted", "completed", "task:completed"],
  ] as const)("AG3: set to %s by its executor is %s", async (status, expected, event) => {
    const desk = new Desk();
    await desk.submit();
    desk.task.status = { status, message: "no luck", timestamp: 1 };
    await desk.resolve();
    expect(desk.task.status.status).toBe(expected);
    expect(desk.states.at(-1)).toBe(expected);
    expect(desk.events.at(-1)?.name).toBe(event);
    expect(desk.task.status.message).toBe(expected === "completed" ? undefined : "no luck");
  });

  it("AG3: set to failed is completed in Code Buddy", async () => {
    const desk = new Desk({ compat: "code-buddy" });
    await desk.submit();
    desk.task.status = { status: "failed", message: "no luck", timestamp: 1 };
    await desk.resolve();
    expect(desk.task.status.status).toBe("completed");
  });

  it("takes over another object its executor returns", async () => {
    const other = (): Task => ({
      id: "t",
      sessionId: "t",
      status: { status: "working", timestamp: 0 },
      messages: [said("go"), { role: "agent", parts: [{ type: "text", text: "hi" }] }],
      artifacts: [{ name: "a", parts: [] }],
      metadata: { by: "other" },
      history: [],
    });
    const desk = new Desk();
    const { done } = await desk.submit();
    await desk.resolve(0, other());
    expect(await done).toBe(desk.task);
    expect(desk.task).toMatchObject({
      status: { status: "completed" },
      artifacts: [{ name: "a" }],
      metadata: { by: "other" },
    });
    expect(desk.task.messages).toHaveLength(2);
    expect(desk.states).toEqual(["submitted", "working", "completed"]);

    const theirs = new Desk({ compat: "code-buddy" });
    await theirs.submit();
    await theirs.resolve(0, other());
    expect(theirs.task).toMatchObject({ status: { status: "working" }, artifacts: [] });
  });

  it("AG4: submitted again with the same message is the same task, whether it works or has ended", async () => {
    const desk = new Desk();
    const { done: first } = await desk.submit();
    const { done: again } = await desk.submit();
    expect(desk.executions).toBe(1);
    await desk.resolve();
    expect(await again).toBe(await first);
    expect(await desk.server.submitTask({ id: "t", message: said("go") })).toBe(desk.task);
    await expect(
      desk.server.submitTask({ id: "t", message: said("go"), metadata: { a: "b" } }),
    ).rejects.toMatchObject({ code: "conflict" });
  });

  it("throws for an unexpected message, with the task's status", async () => {
    const desk = new Desk();
    await desk.submit();
    await expect(desk.server.sendMessage("t", said("x"))).rejects.toThrow("working");
    await expect(desk.server.resumeTask("t")).rejects.toThrow("not yielded");
    await expect(desk.server.sendMessage("?", said("x"))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("makes room for a new one once it has ended", async () => {
    const desk = new Desk({ maxTasks: 2 });
    await desk.submit(said("1"), "one");
    await desk.submit(said("2"), "two");
    await expect(desk.server.submitTask({ id: "three", message: said("3") })).rejects.toMatchObject(
      {
        code: "limit_exceeded",
      },
    );
    await desk.resolve(1);
    await desk.submit(said("3"), "three");
    expect(["one", "two", "three"].map((id) => desk.server.getTask(id)?.id)).toEqual([
      "one",
      undefined,
      "three",
    ]);
  });

  it.each([0, -1, 1.5, Number.NaN])("cannot have %s places", (maxTasks) => {
    expect(() => new Desk({ maxTasks })).toThrow("maxTasks must be an integer >= 1");
  });
});
