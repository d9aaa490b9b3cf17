import { describe, expect, it } from "vitest";
import { EngineError, type ErrorCode } from "../../../src/base/error.ts";
import type { RunObjectApi, RunObjects } from "../../../src/cloudflare/runs/run-object-api.ts";
import { toResult } from "../../../src/cloudflare/rpc-result.ts";
import {
  failQueued,
  startQueued,
  type QueuedMessage,
} from "../../../src/cloudflare/child-queue.ts";
import type { ChildReport } from "../../../src/runtime/children/child-run.ts";
import type {
  OperationInput,
  OperationResult,
  RunOperation,
} from "../../../src/runtime/run-operations.ts";

/** Objects that record their calls and fail where the test says so. */
class Objects implements RunObjects {
  readonly asked: string[] = [];
  readonly begun: string[] = [];
  readonly reports: ChildReport[] = [];
  /** Reports that parents received. */
  readonly confirmed: string[] = [];
  readonly #faults: Readonly<Record<string, ErrorCode>>;
  readonly #unwanted: readonly string[];

  /** `faults` names methods and objects: `begin t:acme/run:c1`. */
  constructor(faults: Readonly<Record<string, ErrorCode>> = {}, unwanted: readonly string[] = []) {
    this.#faults = faults;
    this.#unwanted = unwanted;
  }

  getByName(name: string): RunObjectApi {
    const check = (method: string): void => {
      const code = this.#faults[`${method} ${name}`];
      if (code !== undefined)
        throw new EngineError(code, "as told", { retryable: code === "unavailable" });
    };
    const answers: Answers = {
      begin: () => (check("begin"), void this.begun.push(name)),
      childStarts: (ids) => {
        check("childStarts");
        this.asked.push(`${name}: ${ids.join(" ")}`);
        const start = { tenant: "acme", kind: "crew", name: "briefing", inputs: {} } as const;
        return ids.map((id) => (this.#unwanted.includes(id) ? undefined : { ...start, id }));
      },
      childrenBegun: (ids) => void this.confirmed.push(`${name}: ${ids.join(" ")}`),
      childEnded: (report) => (check("childEnded"), void this.reports.push(report)),
    };
    return {
      call: (operation, input) =>
        toResult(() => {
          const answer = answers[operation];
          if (answer === undefined) throw new Error(`nobody calls ${operation} here`);
          return answer(...input);
        }),
    };
  }
}

type Answers = {
  readonly [Name in RunOperation]?: (...input: OperationInput<Name>) => OperationResult<Name>;
};

class Message implements QueuedMessage {
  readonly body: unknown;
  readonly attempts: number;
  fate: string | undefined;

  constructor(body: unknown, attempts = 1) {
    this.body = body;
    this.attempts = attempts;
  }

  ack(): void {
    this.fate = "done";
  }

  retry({ delaySeconds }: { delaySeconds?: number } = {}): void {
    this.fate = `again in ${delaySeconds}`;
  }
}

const task = (child: string, parent = "p1", tenant = "acme") => ({ tenant, parent, child });

async function fates(bodies: readonly unknown[], objects: Objects, attempts?: number) {
  const messages = bodies.map((body) => new Message(body, attempts));
  await startQueued(messages, objects);
  return messages.map(({ fate }) => fate);
}

describe("the consumer of dispatches", () => {
  it("calls each parent once, and starts the children it names", async () => {
    const objects = new Objects();
    const bodies = [task("c1"), task("c2"), task("c3", "p2"), task("c4", "p1", "other")];
    expect(await fates(bodies, objects)).toEqual(["done", "done", "done", "done"]);
    expect(objects.asked).toEqual([
      "t:acme/run:p1: c1 c2",
      "t:acme/run:p2: c3",
      "t:other/run:p1: c4",
    ]);
    expect(objects.confirmed.toSorted()).toEqual(objects.asked.toSorted());
    expect(objects.begun.toSorted()).toEqual([
      "t:acme/run:c1",
      "t:acme/run:c2",
      "t:acme/run:c3",
      "t:other/run:c4",
    ]);
  });

  it("F3: starts a child named twice once", async () => {
    const objects = new Objects();
    expect(await fates([task("c1"), task("c1")], objects)).toEqual(["done", "done"]);
    expect(objects.begun).toEqual(["t:acme/run:c1"]);
  });

  it("F3: skips a child unknown to its parent, and a child of a missing parent", async () => {
    const objects = new Objects({ "childStarts t:acme/run:p2": "not_found" }, ["c1"]);
    expect(await fates([task("c1"), task("c2", "p2")], objects)).toEqual(["done", "done"]);
    expect(objects.begun).toEqual([]);
  });

  it("retries only unreachable objects, with growing delays", async () => {
    const objects = new Objects({
      "begin t:acme/run:c2": "unavailable",
      "childStarts t:acme/run:p2": "unavailable",
    });
    const bodies = [task("c1"), task("c2"), task("c3", "p2")];
    expect(await fates(bodies, objects)).toEqual(["done", "again in 2", "again in 2"]);
    expect(objects.confirmed).toEqual(["t:acme/run:p1: c1"]);
    expect(await fates(bodies, objects, 4)).toEqual(["done", "again in 16", "again in 16"]);
    expect(await fates(bodies, objects, 9)).toEqual(["done", "again in 60", "again in 60"]);
    expect(objects.reports).toEqual([]);
  });

  it("F5: reports a permanent error at once", async () => {
    const objects = new Objects({ "begin t:acme/run:c1": "conflict" });
    expect(await fates([task("c1")], objects)).toEqual(["done"]);
    expect(objects.reports).toMatchObject([
      { runId: "c1", status: "failed", error: { code: "conflict" } },
    ]);
  });

  it("acknowledges messages of another shape without calling anything", async () => {
    const objects = new Objects();
    const bodies = ["hello", null, { tenant: "acme" }, { ...task("c1"), child: 7 }];
    expect(await fates(bodies, objects)).toEqual(["done", "done", "done", "done"]);
    expect(objects.asked).toEqual([]);
  });
});

describe("F5: the consumer of the dead letter queue", () => {
  it("reports to the parent, and retries while it cannot be reached", async () => {
    const objects = new Objects({
      "childEnded t:acme/run:p2": "unavailable",
      "childEnded t:acme/run:p3": "not_found",
    });
    const messages = [task("c1"), task("c2", "p2"), task("c3", "p3")].map(
      (body) => new Message(body),
    );
    await failQueued(messages, objects);
    expect(messages.map(({ fate }) => fate)).toEqual(["done", "again in 2", "done"]);
    expect(objects.reports).toMatchObject([
      { runId: "c1", status: "failed", error: { code: "unavailable" } },
    ]);
  });
});
