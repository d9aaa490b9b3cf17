// Push notifications: through the run's outbox, retried, sealed, never to private addresses.
import { beforeEach, describe, expect, it } from "vitest";
import { webhookCourier } from "../../../../../src/cloudflare/runs/webhook-courier.ts";
import { SecretBox } from "../../../../../src/security/secret-box.ts";
import { sendArtifact, askCaller } from "../../../../../src/entry/a2a.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
import type { StreamResponse, Task } from "../../../../../src/protocols/a2a/schema.ts";
import { A2AWorld, kindOf } from "./world.ts";

type Delivered = { readonly url: string; readonly headers: Headers; readonly body: StreamResponse };

const URL_OF_HOOK = "https://caller.example.com/hook";
const box = new SecretBox(btoa("0".repeat(32)), (length) => new Uint8Array(length).fill(7));
const chatty = defineFlow({
  name: "chatty",
  methods: {
    work: {
      start: true,
      run: async () => {
        sendArtifact({ id: "draft", name: "draft", parts: "Draft" });
        return askCaller("Good?");
      },
    },
  },
});

let delivered: Delivered[];
let attempts: string[];
let failures: number;
let world: A2AWorld;

beforeEach(() => {
  const own: Delivered[] = []; // what the test before has still under way is not this one's
  delivered = own;
  attempts = [];
  failures = 0;
  const definitions = {
    outbound: {},
    seal: (key: string, owner: string) => box.seal(key, owner),
    open: (sealed: string, owner: string) => box.open(sealed, owner),
  };
  world = new A2AWorld({
    flows: { chatty },
    a2a: { expose: { "flow/chatty": true } },
    definitionRules: definitions,
    webhookSink: (clock, parts) =>
      webhookCourier({
        clock,
        policy: {},
        open: definitions.open,
        formats: Object.assign({}, ...parts.map((part) => part.webhookFormats)),
        fetch: async (input, init) => {
          const request = new Request(input, init);
          attempts.push(request.url);
          if (failures-- > 0) return new Response(null, { status: 500 });
          own.push({
            url: request.url,
            headers: request.headers,
            body: (await request.json()) as Delivered["body"],
          });
          return new Response(null, { status: 204 });
        },
      }),
  });
});

async function lapse(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await world.clock.advance(1_000);
}

async function started(config: object): Promise<Task> {
  const { task } = (await world.result(
    "SendMessage",
    {
      message: world.message("go"),
      configuration: { taskPushNotificationConfig: config, returnImmediately: true },
    },
    { agent: "chatty" },
  )) as unknown as { task: Task };
  return task;
}

describe("push notifications", () => {
  it("APN1: report each change in order, and the whole task at its end", async () => {
    const { id } = await started({ url: URL_OF_HOOK });
    await lapse(5);
    await world.task({ message: world.message("Yes", { taskId: id }) }, { agent: "chatty" });
    await lapse(5);
    expect(delivered.map(({ body }) => kindOf(body))).toEqual([
      "status WORKING",
      "artifact draft",
      "status INPUT_REQUIRED",
      "status WORKING",
      "task COMPLETED",
    ]);
    const { task } = (delivered.at(-1) as Delivered).body as { task: Task };
    expect(task).toMatchObject({
      id,
      artifacts: [
        { artifactId: "draft" },
        { artifactId: `result_${id}`, parts: [{ text: "Yes" }] },
      ],
    });
    expect(delivered[0]?.headers.get("content-type")).toBe("application/a2a+json");
  });

  it("APN1: are tried again until they are taken, each once", async () => {
    failures = 3;
    await started({ url: URL_OF_HOOK });
    await lapse(60);
    expect(attempts.length).toBe(6);
    expect(delivered.map(({ body }) => kindOf(body))).toEqual(
      ["status WORKING", "artifact draft", "status INPUT_REQUIRED"].toSorted(
        (a, b) => order(a) - order(b),
      ),
    );
    function order(kind: string): number {
      return delivered.findIndex(({ body }) => kindOf(body) === kind);
    }
  });

  it("APN2: carry the caller's token and credentials, hidden everywhere else", async () => {
    const { id } = await started({
      id: "c1",
      url: URL_OF_HOOK,
      token: "the-token",
      authentication: { scheme: "Bearer", credentials: "the-credentials" },
    });
    await lapse(3);
    expect(delivered[0]?.headers.get("authorization")).toBe("Bearer the-credentials");
    expect(delivered[0]?.headers.get("x-a2a-notification-token")).toBe("the-token");
    const shown = await world.rpc(
      "GetTaskPushNotificationConfig",
      { taskId: id, id: "c1" },
      { agent: "chatty" },
    );
    expect(shown.json).toMatchObject({
      result: { id: "c1", taskId: id, url: URL_OF_HOOK, authentication: { scheme: "Bearer" } },
    });
    const all = [
      shown.text,
      (await world.ask(`/runs/${id}`)).text,
      (await world.ask(`/runs/${id}/journal?values=1`)).text,
    ];
    for (const text of all) expect(text).not.toMatch(/the-token|the-credentials/);
  });

  it("APN3: a configuration added later gets the following events, until it is deleted", async () => {
    const task = await world.task({ message: world.message("go") }, { agent: "chatty" });
    const config = { taskId: task.id, id: "late", url: URL_OF_HOOK };
    await world.result("CreateTaskPushNotificationConfig", config, { agent: "chatty" });
    await world.result(
      "CreateTaskPushNotificationConfig",
      { ...config, id: "gone", url: `${URL_OF_HOOK}/gone` },
      { agent: "chatty" },
    );
    await world.result(
      "DeleteTaskPushNotificationConfig",
      { taskId: task.id, id: "gone" },
      { agent: "chatty" },
    );
    await lapse(3);
    expect(delivered).toEqual([]);
    await world.task({ message: world.message("Yes", { taskId: task.id }) }, { agent: "chatty" });
    await lapse(3);
    expect(delivered.map(({ url, body }) => `${url} ${kindOf(body)}`)).toEqual([
      `${URL_OF_HOOK} status WORKING`,
      `${URL_OF_HOOK} task COMPLETED`,
    ]);
  });

  it("replaces a configuration of the same id, and lists them in pages", async () => {
    const { id: taskId } = await world.task({ message: world.message("go") }, { agent: "chatty" });
    const on = { agent: "chatty" };
    for (const id of ["a", "b", "c", "b"])
      await world.result(
        "CreateTaskPushNotificationConfig",
        { taskId, id, url: `${URL_OF_HOOK}/${id}` },
        on,
      );
    const first = await world.result(
      "ListTaskPushNotificationConfigs",
      { taskId, pageSize: 2 },
      on,
    );
    expect(first["configs"]).toMatchObject([{ id: "a" }, { id: "c" }]);
    const rest = await world.result(
      "ListTaskPushNotificationConfigs",
      { taskId, pageSize: 2, pageToken: first["nextPageToken"] },
      on,
    );
    expect(rest).toMatchObject({ configs: [{ id: "b" }], nextPageToken: "" });
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        world.rpc(
          "CreateTaskPushNotificationConfig",
          { taskId, id: `n${n}`, url: URL_OF_HOOK },
          on,
        ),
      ),
    );
    expect(many.filter(({ json }) => json["error"] !== undefined)).toHaveLength(3);
  });

  it("speak 0.3 to callers of 0.3", async () => {
    const old = new A2AWorld({
      a2a: { versions: ["0.3"] },
      webhookSink: (clock, parts) =>
        webhookCourier({
          clock,
          policy: {},
          formats: Object.assign({}, ...parts.map((part) => part.webhookFormats)),
          fetch: async (input, init) => {
            const request = new Request(input, init);
            delivered.push({
              url: request.url,
              headers: request.headers,
              body: (await request.json()) as (typeof delivered)[number]["body"],
            });
            return new Response(null);
          },
        }),
    });
    await old.rpc(
      "message/send",
      {
        message: {
          kind: "message",
          role: "user",
          messageId: "m",
          parts: [{ kind: "text", text: "Hi" }],
        },
        configuration: { pushNotificationConfig: { url: URL_OF_HOOK } },
      },
      { headers: { "a2a-version": "" } },
    );
    for (let second = 0; second < 4; second++) await old.clock.advance(1_000);
    expect(delivered.at(-1)?.body).toMatchObject({ kind: "task", status: { state: "completed" } });
  });
});
