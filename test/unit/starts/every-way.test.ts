// Every way to start a run, with every field of a start: a way that leaves one out fails here, and so does a new way or field.
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import type { StartWay } from "../../../src/parts/part.ts";
import { subjectsOf } from "../../../src/parts/subjects.ts";
import type { RunStart } from "../../../src/runtime/run.ts";
import { FORK_FIELDS, START_FIELDS, type StartFields } from "../../../src/starts/start-fields.ts";
import { TRIGGER_FIELDS } from "../../../src/triggers/trigger-fields.ts";
import { START_KINDS } from "../../../src/client/start-kinds.ts";
import { EngineError } from "../../../src/base/error.ts";
import { textOf, type Answer } from "../../support/http-app.ts";
import { BROKEN, StartingWorld, TRAINING } from "../../support/starting-world.ts";

type Seen = Pick<
  RunStart,
  | "id"
  | "tags"
  | "meta"
  | "webhooks"
  | "overrides"
  | "context"
  | "entry"
  | "inputs"
  | "definition"
  | "person"
>;
type Field = {
  readonly value: unknown;
  /** Whether the start has it. */
  readonly isUsed: (start: Seen, answer?: Answer) => boolean;
};

const HOOK = { url: "https://hooks.example/x", events: ["run_completed"] };

const FIELDS: Readonly<Record<keyof StartFields, Field>> = {
  id: { value: "my-run", isUsed: ({ id }) => id === "my-run" || id.startsWith("turn-") },
  tags: { value: ["blue"], isUsed: ({ tags }) => tags?.[0] === "blue" },
  meta: { value: { a: 1 }, isUsed: ({ meta }) => meta?.["a"] === 1 },
  webhooks: { value: [HOOK], isUsed: ({ webhooks }) => webhooks?.[0]?.url === HOOK.url },
  llm: {
    value: "openai/gpt-5-mini",
    isUsed: ({ overrides }) => overrides?.llm === "openai/gpt-5-mini",
  },
  trained: { value: TRAINING, isUsed: ({ overrides }) => overrides?.trained !== undefined },
  person: { value: "anna", isUsed: ({ person }) => person === "anna" },
  stream: {
    value: true,
    isUsed: ({ context, entry }) => context?.["stream"] === true || entry?.["stream"] === true,
  },
  token: {
    value: { scopes: ["read"] },
    isUsed: (_, answer) => JSON.stringify(answer?.json["token"] ?? null).startsWith('"token of '),
  },
  version: {
    value: 1,
    isUsed: ({ definition }) => /"one"|"maxRounds":3/.test(JSON.stringify(definition ?? null)),
  },
  inputFiles: {
    value: { a: "https://files.example/a.txt" },
    isUsed: ({ inputs }) => JSON.stringify(inputs).includes("files.example"),
  },
};

const START_NAMES = Object.keys(START_FIELDS) as (keyof StartFields)[];
const FORK_NAMES = Object.keys(FORK_FIELDS) as (keyof typeof FORK_FIELDS)[];

/** A request of each way, and the fields that mean nothing for it. */
const WAYS: Readonly<
  Record<
    string,
    { readonly name: string; readonly own: JsonObject; readonly refused?: readonly string[] }
  >
> = {
  "crew kickoff": { name: "kept", own: {} },
  "crew kickoffForEach": { name: "kept", own: { inputs: [{}] } },
  "crew train": { name: "kept", own: { iterations: 1 } },
  "crew test": { name: "kept", own: { iterations: 1 } },
  "crew chat": { name: "kept", own: { messages: [{ role: "user", content: "Hi" }] } },
  "flow kickoff": { name: "kept", own: {} },
  "flow turn": { name: "help", own: { message: "Hi" }, refused: ["version"] },
  "agent kickoff": { name: "helper", own: { messages: "Hi" }, refused: ["version"] },
  "conversation kickoff": { name: "kept", own: { message: "Hi" } },
};

let world: StartingWorld;
let count = 0;

beforeAll(async () => {
  world = new StartingWorld();
  await world.prepare();
});

const wayOf = (name: string): StartWay => {
  const [kind = "", way = ""] = name.split(" ");
  const found = world.services.parts.flatMap(({ kinds }) => kinds?.[kind]?.ways?.[way] ?? [])[0];
  if (found === undefined) throw new Error(`there is no way ${name}`);
  return found;
};

/** A field's value; an id is another one each time. */
const valueOf = (field: keyof StartFields): unknown =>
  field === "id" ? `my-run-${(count += 1)}` : FIELDS[field].value;

const isUsed = (field: keyof StartFields, start: Seen | undefined, answer?: Answer): boolean =>
  start !== undefined &&
  (field === "id"
    ? start.id === `my-run-${count}` || start.id.startsWith("turn-")
    : FIELDS[field].isUsed(start, answer));

it("knows every way of the parts, and every kind", () => {
  const found = world.services.parts.flatMap(({ kinds = {} }) =>
    Object.entries(kinds).flatMap(([kind, { ways = {} }]) =>
      Object.keys(ways).map((way) => `${kind} ${way}`),
    ),
  );
  expect(found.toSorted()).toEqual(Object.keys(WAYS).toSorted());
  expect([...subjectsOf(world.services.parts).keys()].toSorted()).toEqual(START_KINDS.toSorted());
});

describe.each(Object.keys(WAYS))("%s", (way) => {
  const { name, own, refused = [] } = WAYS[way] ?? { name: "", own: {} };

  const expected = (field: string, isRefused = refused.includes(field)): string =>
    isRefused ? `refused at /${field}` : "used";

  it.each(START_NAMES)("takes %s over HTTP, and uses it", async (field) => {
    const path = wayOf(way).path.replace("{name}", name);
    world.starts.length = 0;
    const answer = await world.ask(path, { json: { ...own, [field]: valueOf(field) } });
    await world.clock.settle();
    expect(outcomeOf(field, answer)).toBe(expected(field));
  });

  it.each(START_NAMES)("takes %s from code, and uses it", async (field) => {
    world.starts.length = 0;
    const fields = { ...own, [field]: valueOf(field) };
    const asked = { tenant: "default", name, fields };
    const outcome = await wayOf(way)
      .begin(world.services, asked)
      .then((id) => (id === world.starts[0]?.id ? outcomeOf(field) : "another run"), refusalOf);
    expect(outcome).toBe(expected(field, field === "token" || refused.includes(field)));
    await world.clock.settle();
  });

  it("refuses an unknown field by its path", async () => {
    const path = wayOf(way).path.replace("{name}", name);
    const { status, json } = await world.ask(path, { json: { ...own, colour: 1 } });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/colour"]);
  });

  it("waits with Prefer, and streams with Accept", async () => {
    const path = wayOf(way).path.replace("{name}", name);
    expect(await waitsAndStreams(path, own)).toEqual([true, true]);
  });
});

describe("forks", () => {
  const FORKS: readonly (readonly [string, () => Promise<readonly [string, JsonObject]>])[] = [
    ["fork", () => forkOf("fork", { fromStart: true })],
    ["replay", () => forkOf("replay", { fromStart: true })],
    ["retry", retryOf],
    [
      "forkAtMessage",
      async () => {
        const id = await world.ended("/conversations/kept/kickoff", { message: "Hi" });
        return [`/runs/${id}/messages/0/fork`, { content: "Ho" }];
      },
    ],
    [
      "flow kickoff fromCheckpoint",
      async () => {
        const run = await world.ended("/flows/steps/kickoff", {});
        return ["/flows/steps/kickoff", { fromCheckpoint: { run } }];
      },
    ],
  ];

  describe.each(FORKS)("%s", (_, prepared) => {
    it.each(FORK_NAMES)("takes %s, and uses it", async (field) => {
      const [path, own] = await prepared();
      world.forks.length = 0;
      const answer = await world.ask(path, { json: { ...own, [field]: valueOf(field) } });
      await world.clock.settle();
      expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
      const [fork] = world.forks;
      const seen = fork === undefined ? undefined : ({ ...fork, id: fork.newId } as unknown);
      expect(isUsed(field, seen as Seen | undefined, answer)).toBe(true);
    });

    it.each(["version", "inputFiles"] as const)("refuses %s by its path", async (field) => {
      const [path, own] = await prepared();
      const { status, json } = await world.ask(path, { json: { ...own, [field]: valueOf(field) } });
      expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, `/${field}`]);
    });

    it("waits with Prefer, and streams with Accept", async () => {
      const [path, own] = await prepared();
      expect(await waitsAndStreams(path, own)).toEqual([true, true]);
    });
  });

  async function forkOf(how: string, from: JsonObject): Promise<readonly [string, JsonObject]> {
    const id = await world.ended("/crews/greeting/kickoff", {});
    return [`/runs/${id}/${how}`, from];
  }

  async function retryOf(): Promise<readonly [string, JsonObject]> {
    const id = await world.ended("/crews/briefing/kickoff", { inputs: { topic: BROKEN } });
    return [`/runs/${id}/retry`, {}];
  }
});

describe("triggers", () => {
  const names = Object.keys(TRIGGER_FIELDS) as (keyof typeof TRIGGER_FIELDS)[];

  it("take the fields of a start that need no caller", () => {
    const others = START_NAMES.filter((name) => !Object.hasOwn(TRIGGER_FIELDS, name));
    expect(others.toSorted()).toEqual(["id", "inputFiles", "token"]);
  });

  it.each(names)("start runs of a schedule with %s", async (field) => {
    const id = `s-${field}`;
    const schedule = { id, cron: "@daily", target: { kind: "crew", name: "kept" } };
    const stored = await world.ask("/schedules", {
      json: { ...schedule, [field]: valueOf(field) },
    });
    expect([stored.status, stored.json[field] === undefined]).toEqual([201, false]);
    world.starts.length = 0;
    await world.ask(`/schedules/${id}/run`, { json: {} });
    expect(isUsed(field, world.starts[0])).toBe(true);
  });

  it.each(names)("start runs of a queue with %s", async (field) => {
    const target = { kind: "crew", name: "kept" };
    const own = new StartingWorld({
      triggers: { queues: { orders: { target, [field]: valueOf(field) } } },
    });
    await own.prepare();
    let isDone = false;
    const ack = (): void => void (isDone = true);
    const message = { id: "m", body: {}, attempts: 1, ack, retry: () => undefined };
    await own.bound.get("triggers")?.queue?.("orders", [message]);
    expect([isDone, isUsed(field, own.starts[0])]).toEqual([true, true]);
  });

  it.each(START_KINDS)("start runs of kind %s", async (kind) => {
    const name = kind === "agent" ? "helper" : "kept";
    const inputs = kind === "agent" || kind === "conversation" ? { messages: "Hi" } : {};
    const json = { id: `k-${kind}`, cron: "@daily", target: { kind, name }, inputs };
    expect((await world.ask("/schedules", { json })).status).toBe(201);
    expect((await world.ask(`/schedules/k-${kind}/run`, { json: {} })).status).toBe(202);
  });
});

/** The outcome of a start with a field: used, dropped, or refused at its path. */
function outcomeOf(field: keyof StartFields, answer?: Answer): string {
  if (answer?.status === 400) return `refused at ${textOf(answer.json["errors"]?.[0]?.["path"])}`;
  return isUsed(field, world.starts[0], answer) ? "used" : "dropped";
}

function refusalOf(error: unknown): string {
  const [issue] = EngineError.is(error) ? (error.issues ?? []) : [];
  return `refused at ${issue?.path ?? "no place"}`;
}

/** Whether the run was waited for as `Prefer` says, and whether its events were the answer as `Accept` says. */
async function waitsAndStreams(
  path: string,
  own: JsonObject,
): Promise<readonly [boolean, boolean]> {
  const waiting = world.ask(path, { json: own, headers: { prefer: "wait=60" } });
  await world.clock.settle();
  const { status, headers } = await waiting;
  const hasWaited =
    status === 202 || (status === 200 && headers.get("preference-applied") === "wait=60");
  const accept = "text/event-stream";
  const response = await world.request(path, { json: own, headers: { accept } });
  const isStream = response.headers.get("content-type")?.includes(accept) === true;
  await response.body?.cancel();
  await world.clock.settle();
  return [hasWaited, isStream];
}
