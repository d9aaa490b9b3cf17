import { describe, expect, it } from "vitest";
import { CALL } from "../../../src/base/method-class.ts";
import { OperationsDirectory, type RunAddress } from "../../../src/runtime/run-directory.ts";
import { OperationsHandle } from "../../../src/runtime/handle/run-handle.ts";
import {
  HANDLE_OPERATIONS,
  RUN_OPERATIONS,
  runOperation,
  type DirectoryOperation,
  type HandleOperation,
  type OperationInput,
  type OperationResult,
  type RunOperation,
} from "../../../src/runtime/run-operations.ts";
import { RunWorld, START } from "../../support/run-world.ts";

const asking = (): RunWorld =>
  new RunWorld((scope) => scope.at("ask").wait({ kind: "input", prompt: "How many?" }));

describe("the operations of a run", () => {
  it("are done by name, with their input as a list", async () => {
    const world = asking();
    expect(await runOperation(world.host, "poke", [])).toBe(false);
    await runOperation(world.host, "start", [START]);
    await world.rest();
    const { items } = await runOperation(world.host, "steps", [{ limit: 10, values: false }]);
    expect(items.map(({ key, state }) => [key, state])).toEqual([["ask", "waiting"]]);
    expect(await runOperation(world.host, "resume", [{ value: 3 }])).toMatchObject({
      status: "running",
    });
    await world.rest();
    expect(await runOperation(world.host, "settled", [0])).toMatchObject({ output: 3 });
  });

  it("a snapshot has the run's place in the log, and the requested stored events up to it", async () => {
    const world = asking();
    await world.begin();
    const events = world.store.events.read(0, 100);
    const snapshot = await runOperation(world.host, "snapshot", [["run_started", "run_waiting"]]);
    expect(snapshot).toMatchObject({
      run: { status: "waiting", waits: [{ key: "ask" }] },
      seq: events.at(-1)?.seq,
      at: events.at(-1)?.at,
    });
    expect(snapshot.events.map(({ type }) => type)).toEqual(["run_started", "run_waiting"]);
    expect((await runOperation(world.host, "snapshot", [])).events).toEqual([]);
  });

  it.each(["rewind", "toString", "constructor"])(
    "an unknown one, as of another version during a deploy, is unavailable and may be repeated: %s",
    async (name) => {
      const world = asking();
      await world.begin();
      const unknown = runOperation(world.host, name as RunOperation, [] as never);
      await expect(unknown).rejects.toMatchObject({ code: "unavailable", retryable: true });
      expect(await world.host.status()).toMatchObject({ status: "waiting" });
    },
  );

  it("reject with the error of the run", async () => {
    const unpaused = runOperation(asking().host, "unpause", []);
    await expect(unpaused).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a handle of the table", () => {
  class Handle extends OperationsHandle {
    readonly world = asking();

    override [CALL]<Name extends HandleOperation>(
      operation: Name,
      input: OperationInput<Name>,
    ): Promise<OperationResult<Name>> {
      return runOperation(this.world.host, operation, input);
    }
  }

  it("has a method for each operation, and for no other", () => {
    const handle = new Handle();
    for (const name of Object.keys(HANDLE_OPERATIONS)) expect(handle).toHaveProperty(name);
    const others = Object.keys(RUN_OPERATIONS).filter((name) => !(name in HANDLE_OPERATIONS));
    expect(others.filter((name) => name in handle)).toEqual([]);
    expect(others).toContain("forget");
  });

  it("passes the arguments of its methods", async () => {
    const handle = new Handle();
    await handle.world.begin();
    expect(await handle.pause()).toMatchObject({ paused: true });
    expect(await handle.cancel("enough")).toMatchObject({
      status: "cancelled",
      error: { message: "the run was cancelled: enough" },
    });
  });
});

describe("a directory of the table", () => {
  it("passes the address of the run in front of the input", async () => {
    const calls: unknown[] = [];
    class Directory extends OperationsDirectory {
      override [CALL]<Name extends DirectoryOperation>(
        operation: Name,
        input: [...RunAddress, ...OperationInput<Name>],
      ): Promise<OperationResult<Name>> {
        calls.push([operation, ...input]);
        return Promise.reject(new Error("there are no runs"));
      }
    }
    const directory = new Directory();
    await expect(directory.settled("acme", "run-1", 5)).rejects.toThrow("there are no runs");
    await expect(directory.pause("acme", "run-1")).rejects.toThrow("there are no runs");
    expect(calls).toEqual([
      ["settled", "acme", "run-1", 5],
      ["pause", "acme", "run-1"],
    ]);
  });
});
