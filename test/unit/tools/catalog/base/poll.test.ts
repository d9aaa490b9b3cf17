import { describe, expect, it } from "vitest";
import * as z from "zod";
import { catalogTool } from "../../../../../src/tools/catalog/base/catalog-tool.ts";
import type { JobState, PollOptions } from "../../../../../src/tools/catalog/base/poll.ts";
import { cutAfterEveryResult, cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import {
  callOf,
  toolSubject,
  type SeenRequest,
  type ToolCallOptions,
} from "../../../../support/tool-world.ts";

const variables = { JOBS_KEY: "key-0123456789" };

/** A tool that has a job done; `how` changes how it is polled. */
function jobsTool(how: Partial<PollOptions<string>> = {}, effectClass: "R" | "X" = "R") {
  return catalogTool({
    className: "JobsTool",
    displayName: "Jobs",
    group: "automation",
    service: "Jobs",
    effectClass,
    description: "Has something done.",
    input: () => z.object({ what: z.string() }),
    options: () => z.object({ baseUrl: z.url().optional() }),
    env: [
      { name: "JOBS_KEY", description: "its key", send: { header: "x-key" }, option: "apiKey" },
    ],
    hosts: ["jobs.example"],
    run: async ({ what }, _, io) => {
      const text = await io.poll<string>({
        start: async ({ idempotencyKey }) => {
          const { body } = await io.send({
            url: "https://jobs.example/jobs",
            body: { what },
            idempotencyKey,
          });
          return (body as { id: string }).id;
        },
        check: async (id): Promise<JobState<string>> => {
          const { body } = await io.send({ url: `https://jobs.example/jobs/${id}` });
          const { state, result = "" } = body as { state: string; result?: string };
          if (state === "done") return { done: result };
          return state === "failed" ? { failed: result } : "running";
        },
        cancel: (id) => ({ method: "DELETE", url: `https://jobs.example/jobs/${id}` }),
        ...how,
      });
      return `It is done: ${text}`;
    },
  });
}

/** The service: each job ends after so many questions. */
function jobs(questions: number, ended: object = { state: "done", result: "tea" }) {
  let begun = 0;
  const asked = new Map<string, number>();
  return (request: SeenRequest): Response => {
    if (request.method === "POST") return Response.json({ id: `j${++begun}` });
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    const count = (asked.get(request.path) ?? 0) + 1;
    asked.set(request.path, count);
    return Response.json(count < questions ? { state: "running" } : ended);
  };
}

function methods(requests: readonly SeenRequest[]): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

/** A crash is another attempt. */
function withoutAttempts(events: readonly string[]): string[] {
  return events.map((event) => event.replace(/"attempts":\d+/, ""));
}

/** The tool in a run whose alarm rings by hand. */
function worldOf(tool: ReturnType<ReturnType<typeof jobsTool>>, options: ToolCallOptions) {
  const subject = toolSubject(tool, { what: "tea" }, { variables, ...options });
  const world = new RunWorld(subject.program.run, {
    fixture: openSqlStore(),
    services: subject.services ?? {},
  });
  return { subject, world };
}

describe("long jobs", () => {
  it("JOB1, JOB2: are begun once and asked for after growing pauses, as steps and timers", async () => {
    const { requests, text, events } = await callOf(
      jobsTool()(),
      { what: "tea" },
      { answers: jobs(7), variables },
    );
    expect(text).toContain("It is done: tea");
    expect(methods(requests)).toEqual(["POST /jobs", ...Array(7).fill("GET /jobs/j1")]);
    const seconds = requests.map(({ atMs }) => Math.round(atMs / 1000));
    expect(seconds).toEqual([0, 1, 3, 6, 11, 21, 31, 41]);
    expect(events.filter(({ type }) => type.startsWith("tool_job"))).toMatchObject([
      { type: "tool_job_started", toolName: "jobs", service: "Jobs", jobId: "j1" },
      { type: "tool_job_finished", jobId: "j1", status: "completed", polls: 7 },
    ]);
  });

  it("JOB1: no crash begins a second job once its id is on record (T32)", async () => {
    const { whole, cut } = await cutAfterEveryResult(() =>
      toolSubject(jobsTool()(), { what: "tea" }, { answers: jobs(3), variables }),
    );
    expect(whole.run.status).toBe("completed");
    expect(cut.length).toBeGreaterThan(8);
    for (const { run, calls, course } of cut) {
      expect(run.output).toEqual(whole.run.output);
      expect(withoutAttempts(course.events)).toEqual(withoutAttempts(whole.course.events));
      expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
    }
  });

  it("JOB1: a job whose service accepts idempotency keys is repeated with the same key", async () => {
    const keys = new Set<string | undefined>();
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const answer = jobs(2);
      return toolSubject(
        jobsTool()(),
        { what: "tea" },
        {
          variables,
          answers: (request) => {
            if (request.method === "POST") keys.add(request.headers["idempotency-key"]);
            return answer(request);
          },
        },
      );
    });
    expect(whole.run.status).toBe("completed");
    for (const { run } of cut) expect(run.status).toBe("completed");
    expect(keys.size).toBe(1);
  });

  it("JOB1: a job with effect once is not repeated when a crash leaves its start unknown", async () => {
    const tool = jobsTool({ effect: "once" }, "X");
    const { cut } = await cutAfterEveryWrite(() =>
      toolSubject(tool(), { what: "tea" }, { answers: jobs(2), variables }),
    );
    const ends = cut.map(({ run, calls }) => ({
      posts: calls.filter((call) => call.startsWith("POST")).length,
      code: (run.output as { failure?: { code: string } }).failure?.code,
    }));
    expect(ends.every(({ posts }) => posts <= 1)).toBe(true);
    expect(ends.filter(({ code }) => code !== undefined).map(({ code }) => code)).toEqual(
      expect.arrayContaining(["outcome_unknown"]),
    );
    expect(
      ends.filter(({ posts, code }) => posts === 1 && code === undefined).length,
    ).toBeGreaterThan(5);
  });

  it("JOB3: fails at the deadline with the job's id, after at most 65 questions (T33)", async () => {
    const { requests, failure, events } = await callOf(
      jobsTool({ lookAgain: (id) => `GET /jobs/${id} tells more` })(),
      { what: "tea" },
      { answers: jobs(1000), variables },
    );
    expect(failure).toMatchObject({
      code: "timeout",
      message: "Jobs has not finished the job j1 in 600 s; GET /jobs/j1 tells more.",
    });
    expect(requests.length - 1).toBeLessThanOrEqual(65);
    expect(requests.at(-1)?.atMs).toBeGreaterThan(580_000);
    expect(methods(requests)).not.toContain("DELETE /jobs/j1");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_job_finished", status: "timeout" }),
    );
  });

  it("JOB3: counts the time of slow answers", async () => {
    const { requests, failure } = await callOf(
      jobsTool({ everyMs: [1000], untilMs: 10_000 })(),
      { what: "tea" },
      {
        variables,
        answers: (request) =>
          request.method === "POST"
            ? Response.json({ id: "j1" })
            : request.atMs % 3000 === 0
              ? Response.json({ state: "running" })
              : new Response("busy", { status: 429, headers: { "retry-after": "2" } }),
      },
    );
    expect(failure?.code).toBe("timeout");
    expect(requests.at(-1)?.atMs).toBeLessThanOrEqual(13_000);
  });

  it("reports the reason of a failed job", async () => {
    const { failure, events } = await callOf(
      jobsTool()(),
      { what: "tea" },
      { answers: jobs(2, { state: "failed", result: "no tea" }), variables },
    );
    expect(failure).toMatchObject({
      code: "failed",
      retryable: false,
      message: "Jobs could not finish the job j1: no tea",
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_job_finished", status: "failed", polls: 2 }),
    );
  });

  it("JOB5: goes on asking when the service is away for a while, and stops when it refuses to answer", async () => {
    let questions = 0;
    const answers = (request: SeenRequest): Response => {
      if (request.method === "POST") return Response.json({ id: "j1" });
      questions++;
      if (questions <= 7) return new Response("down", { status: 503 });
      return Response.json({ state: "done", result: "tea" });
    };
    const whole = await callOf(jobsTool()(), { what: "tea" }, { answers, variables });
    expect(whole.text).toContain("tea");
    expect(methods(whole.requests).filter((each) => each.startsWith("POST"))).toHaveLength(1);

    const refused = await callOf(
      jobsTool()(),
      { what: "tea" },
      {
        variables,
        answers: ({ method }) =>
          method === "POST" ? Response.json({ id: "j1" }) : new Response("no", { status: 401 }),
      },
    );
    expect(refused.failure?.code).toBe("unauthorized");
    expect(methods(refused.requests)).toEqual(["POST /jobs", "GET /jobs/j1", "DELETE /jobs/j1"]);
  });

  it("stops after three tries to start a job", async () => {
    const { requests, failure } = await callOf(
      jobsTool()(),
      { what: "tea" },
      { answers: [new Response("down", { status: 503 })], variables },
    );
    expect(failure).toMatchObject({ code: "unavailable", retryable: true });
    expect(requests).toHaveLength(3);
  });

  it.each(["waits", "is asking"] as const)(
    "JOB4: a run cancelled while it %s has the job cancelled, with the key (T33, T42)",
    async (when) => {
      let hangs = false;
      const { subject, world } = worldOf(jobsTool()(), {
        answers: (request) => {
          if (request.method === "GET" && hangs) return new Promise<Response>(() => undefined);
          return jobs(1000)(request);
        },
      });
      await world.begin();
      world.restart();
      hangs = when === "is asking";
      await world.clock.advance(1000);
      const ring = world.ring();
      await world.clock.settle();
      const before = world.clock.now();
      await world.host.cancel();
      await ring;
      await world.rest();
      await world.clock.settle();
      expect(world.clock.now() - before).toBeLessThan(50);
      expect(methods(subject.requests)).toEqual(["POST /jobs", "GET /jobs/j1", "DELETE /jobs/j1"]);
      expect(subject.requests.at(-1)?.headers).toMatchObject({ "x-key": "key-0123456789" });
      await world.clock.advance(600_000);
      await world.rest();
      expect(subject.requests).toHaveLength(3);
      expect(JSON.stringify([world.store.value("clean-ups"), world.store.outbox()])).not.toContain(
        "key-0123456789",
      );
    },
  );

  it("ends a request at once when its run is cancelled, and sends no other (T42)", async () => {
    let seen: AbortSignal | undefined;
    const subject = toolSubject(
      jobsTool()(),
      { what: "tea" },
      { variables, answers: () => new Promise<Response>(() => undefined) },
    );
    const { network } = subject.services ?? {};
    const send: typeof fetch = (input, init) => {
      seen = init?.signal ?? undefined;
      return network?.fetch?.(input, init) ?? Promise.reject(new Error("no network"));
    };
    const hanging = new RunWorld(subject.program.run, {
      fixture: openSqlStore(),
      services: { ...subject.services, network: { fetch: send } },
    });
    await hanging.start();
    const ring = hanging.ring();
    await hanging.clock.settle();
    await hanging.host.cancel();
    expect(seen?.aborted).toBe(true);
    await ring;
    await hanging.rest();
    await hanging.clock.advance(600_000);
    expect(methods(subject.requests)).toEqual(["POST /jobs"]);
  });

  it("JOB4: repeats the cancel after an outage, and stops when the job is gone", async () => {
    const statuses = [503, 404];
    const { subject, world } = worldOf(jobsTool()(), {
      answers: (request) =>
        request.method === "DELETE"
          ? new Response(null, { status: statuses.shift() ?? 500 })
          : jobs(1000)(request),
    });
    await world.begin();
    await world.host.cancel();
    for (let second = 0; second < 5; second++) {
      await world.rest();
      await world.clock.settle();
      await world.clock.advance(1000);
    }
    expect(methods(subject.requests)).toEqual(["POST /jobs", "DELETE /jobs/j1", "DELETE /jobs/j1"]);
    expect(world.store.outbox()).toEqual([]);
  });

  it("JOB4: cancels no ended job, and no job whose key is only in the code", async () => {
    const ended = worldOf(jobsTool()(), { answers: jobs(1) });
    await ended.world.begin();
    await ended.world.clock.advance(1000);
    expect(await ended.world.rest()).toMatchObject({ status: "completed" });
    await ended.world.clock.settle();
    expect(methods(ended.subject.requests)).toEqual(["POST /jobs", "GET /jobs/j1"]);

    const literal = worldOf(jobsTool()({ apiKey: "key-in-the-code" }), {
      answers: jobs(1000),
      variables: {},
    });
    await literal.world.begin();
    await literal.world.host.cancel();
    await literal.world.rest();
    await literal.world.clock.settle();
    expect(methods(literal.subject.requests)).toEqual(["POST /jobs"]);
  });

  it("JOB4: takes the key from the variable in the definition", async () => {
    const { subject, world } = worldOf(jobsTool()({ apiKey: { env: "OUR_KEY" } as never }), {
      answers: jobs(1000),
      variables: { OUR_KEY: "key-of-ours" },
    });
    await world.begin();
    await world.host.cancel();
    await world.rest();
    await world.clock.settle();
    expect(subject.requests.at(-1)).toMatchObject({
      method: "DELETE",
      headers: { "x-key": "key-of-ours" },
    });
  });
});
