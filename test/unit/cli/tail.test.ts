import { describe, expect, it, vi } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

type Watched = {
  readonly lines: () => readonly string[];
  readonly err: () => string;
  readonly stop: () => Promise<number>;
};

/** A command that goes on until Ctrl-C. */
function watched(world: Terminal, line: string, fetch?: typeof globalThis.fetch): Watched {
  const interrupted = new AbortController();
  const written = { out: "", err: "" };
  const more = { signal: interrupted.signal, written, ...(fetch === undefined ? {} : { fetch }) };
  const ended = world.run(line, more);
  return {
    lines: () => written.out.split("\n").filter((each) => each !== ""),
    err: () => written.err,
    stop: async () => {
      interrupted.abort();
      return (await ended).code;
    },
  };
}

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000 });

describe("tail", () => {
  it("RCH1: has a line for each change, and the inputs of new runs (CL17)", async () => {
    const world = new Terminal();
    await world.run("run greeting --id before-1");
    const tail = watched(world, "tail");
    await until(() => expect(tail.err()).toContain("Events from now on"));
    await world.run("run review --input topic=tea --id after-1 --detach");
    await until(() => expect(tail.lines().at(-1)).toContain("waiting"));
    await world.run("waits answer after-1 --choice rejected");
    await until(() => expect(tail.lines().at(-1)).toContain("completed"));
    const lines = tail.lines();
    expect(lines[0]).toMatch(/^\S+Z {2}after-1 {2}flow review {2}\w+ {2}\(topic\)$/);
    expect(lines.filter((line) => line.includes("(topic)"))).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("before-1");
    expect(await tail.stop()).toBe(130);
  });

  it("RCH2: neither loses nor repeats any of 20 runs while the Worker is away (CL17)", async () => {
    const world = new Terminal();
    let isAway = false;
    const fetch = ((url: string, init: RequestInit) =>
      isAway ? Promise.reject(new Error("refused")) : world.ask(url, init)) as never;
    const tail = watched(world, "tail --json", fetch);
    await until(() => expect(tail.err()).toContain("Events from now on"));
    const ids = Array.from({ length: 20 }, (_, index) => `run-${String(index).padStart(2, "0")}`);
    for (const [index, id] of ids.entries()) {
      if (index === 7) isAway = true;
      await world.run(`run review --input topic=tea --id ${id} --detach`);
      await world.http.clock.advance(10);
    }
    await until(() => expect(tail.err()).toContain("got no answer: refused"));
    for (const id of ids) await world.run(`waits answer ${id} --choice rejected`);
    await world.http.clock.settle();
    isAway = false;
    const ends = (): readonly string[] =>
      tail
        .lines()
        .map((line) => JSON.parse(line) as { id: string; status: string })
        .filter(({ status }) => status === "completed")
        .map(({ id }) => id);
    await until(() => expect(ends().toSorted()).toEqual(ids));
    await tail.stop();
    expect(ends().toSorted()).toEqual(ids);
    const all = tail.lines().map((line) => JSON.parse(line) as { id: string; status: string });
    expect(new Set(all.map(({ id, status }) => `${id} ${status}`)).size).toBe(all.length);
  });

  it("filters by one status, and by one name", async () => {
    const world = new Terminal();
    const tail = watched(world, "tail --status completed --name greeting");
    await until(() => expect(tail.err()).toContain("Events from now on"));
    await world.run("run briefing --input topic=tea --id other-1");
    await world.run("run greeting --id this-1");
    await until(() => expect(tail.lines()).toHaveLength(1));
    expect(tail.lines()[0]).toContain("this-1  crew greeting  completed");
    await tail.stop();
  });

  it("has the events of runs too", async () => {
    const world = new Terminal();
    const tail = watched(world, "tail --events");
    await until(() => expect(tail.err()).toContain("Events from now on"));
    await world.run("run greeting --id this-1");
    await until(() => expect(tail.lines().join("\n")).toMatch(/this-1 {2}run_completed/));
    const events = tail.lines().filter((line) => line.includes("this-1  task_completed"));
    expect(events).toHaveLength(1);
    await tail.stop();
  });
});

describe("runs ls --watch", () => {
  it("begins with the list and continues with the changes (CL16)", async () => {
    const world = new Terminal();
    await world.run("run greeting --id before-1");
    const list = watched(world, "runs ls --watch");
    await until(() => expect(list.lines()).toHaveLength(1));
    await world.run("run greeting --id after-1");
    await until(() => expect(list.lines().at(-1)).toMatch(/after-1 {2}crew greeting {2}completed/));
    expect(list.lines().filter((line) => line.includes("before-1"))).toHaveLength(1);
    expect(await list.stop()).toBe(130);
  });

  it("RCH1: still follows runs outside the filter", async () => {
    const world = new Terminal();
    await world.run("run review --input topic=tea --id this-1 --detach");
    await world.http.clock.settle();
    const list = watched(world, "runs ls --watch --status waiting");
    await until(() => expect(list.lines()).toHaveLength(1));
    await world.run("waits answer this-1 --choice rejected");
    await until(() => expect(list.lines().at(-1)).toContain("completed"));
    await list.stop();
  });

  it("RCH2: loses no run after a failed request", async () => {
    const world = new Terminal();
    const ids = ["run-aa", "run-bb", "run-cc"];
    for (const id of ids) await world.run(`run review --input topic=tea --id ${id} --detach`);
    await world.http.clock.settle();
    let failures = 0;
    const fetch = ((url: string, init: RequestInit) =>
      url.includes("/runs/run-bb") && failures++ < 2
        ? Promise.reject(new Error("refused"))
        : world.ask(url, init)) as never;
    const list = watched(world, "runs ls --watch --status waiting", fetch);
    await until(() => expect(list.lines()).toHaveLength(3));
    for (const id of ids) await world.run(`waits answer ${id} --choice rejected`);
    await until(() => expect(list.lines()).toHaveLength(6));
    await list.stop();
    expect(failures).toBeGreaterThan(1);
    const ended = list.lines().slice(3);
    expect(new Set(ended.map((line) => line.split("  ")[1]))).toEqual(new Set(ids));
  });

  it("refuses a cursor (CL16)", async () => {
    expect((await new Terminal().run("runs ls --watch --cursor x")).code).toBe(2);
  });
});
