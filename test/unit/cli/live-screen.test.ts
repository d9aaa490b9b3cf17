import { describe, expect, it } from "vitest";
import { LiveScreen } from "../../../src/cli/live-screen.ts";
import { emptyView, noticed, type RunView } from "../../../src/cli/run-view.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

/** A terminal that understands what a live screen writes: lines, cursor up, clear down. Lines are wrapped at its width. */
class FakeTerminal {
  readonly isTerminal = true;
  columns = 60;
  rows = 24;
  readonly written: string[] = [];
  /** As they were written; the screen shows them wrapped. */
  #lines: string[] = ["$ edgecrew run"];

  readonly write = (text: string): void => {
    this.written.push(text);
    const [, up = "0"] = /^\u001b\[(\d+)A\r/.exec(text) ?? [];
    const shown = this.shown();
    this.#lines = shown.slice(0, shown.length - Number(up));
    const rest = text.replaceAll(/\u001b\[\d*[AJ]|\r/g, "");
    if (rest !== "") this.#lines.push(...rest.replace(/\n$/, "").split("\n"));
  };

  shown(): string[] {
    return this.#lines.flatMap((line) =>
      Array.from({ length: Math.max(1, Math.ceil(line.length / this.columns)) }, (_, index) =>
        line.slice(index * this.columns, (index + 1) * this.columns),
      ),
    );
  }
}

function screenOf(): { screen: LiveScreen; terminal: FakeTerminal; clock: SimulatedClock } {
  const [terminal, clock] = [new FakeTerminal(), new SimulatedClock()];
  return { screen: new LiveScreen({ sink: terminal, clock, ascii: false }), terminal, clock };
}

const running = (clock: SimulatedClock, ...notices: readonly string[]): RunView =>
  notices.reduce(noticed, {
    ...emptyView("r1", "briefing"),
    status: "running",
    startedAtMs: clock.now(),
  });

describe("the lines of a live view", () => {
  it("LSC1: are painted at most ten times a second, with the newest state (CL13)", async () => {
    const { screen, terminal, clock } = screenOf();
    for (let index = 0; index < 100; index++) {
      screen.show(running(clock, `change ${index}`));
      await clock.advance(10);
    }
    expect(terminal.written.length).toBeGreaterThan(5);
    expect(terminal.written.length).toBeLessThanOrEqual(10);
    screen.end();
    expect(terminal.shown()).toEqual(["$ edgecrew run", "briefing  running  0.0 s", "! change 99"]);
  });

  it("LSC1: show the passing time between events", async () => {
    const { screen, terminal, clock } = screenOf();
    screen.show(running(clock));
    for (let index = 0; index < 5; index++) await clock.advance(1_000);
    expect(terminal.shown()).toEqual(["$ edgecrew run", expect.stringMatching(/ {2}[45]\.\d s$/)]);
    screen.end();
  });

  it("LSC2: leave the lines above alone when the terminal becomes narrower, or wider (CL13)", async () => {
    const { screen, terminal, clock } = screenOf();
    const view = running(clock, "a notice that is some fifty characters long, or more");
    screen.show(view);
    await clock.advance(200);
    for (const columns of [20, 33, 80]) {
      terminal.columns = columns;
      screen.show(view);
      await clock.advance(200);
      expect(terminal.shown()[0]).toBe("$ edgecrew run");
      expect(terminal.shown().filter((line) => line.startsWith("briefing"))).toHaveLength(1);
    }
    screen.end();
  });

  it("LSC2: go away for a question, and come back below it", async () => {
    const { screen, terminal, clock } = screenOf();
    screen.show(running(clock));
    await clock.advance(200);
    screen.clear();
    expect(terminal.shown()).toEqual(["$ edgecrew run"]);
    await clock.advance(5_000);
    expect(terminal.shown()).toEqual(["$ edgecrew run"]);
    terminal.write("Good? yes\n");
    screen.show(running(clock));
    await clock.advance(200);
    expect(terminal.shown().slice(0, 2)).toEqual(["$ edgecrew run", "Good? yes"]);
    expect(terminal.shown()).toHaveLength(3);
    screen.end();
  });

  it("LSC3: stay as they are at the end, without another write", async () => {
    const { screen, terminal, clock } = screenOf();
    screen.show({ ...running(clock), status: "completed", endedAtMs: clock.now() });
    screen.end();
    const { length } = terminal.written;
    await clock.advance(10_000);
    expect(terminal.written).toHaveLength(length);
    expect(terminal.shown().at(-1)).toBe("briefing  completed  0.0 s");
  });
});
