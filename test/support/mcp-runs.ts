// Runs of crews whose agents use MCP servers that are called without a network.
import type { AgentOptions } from "../../src/agent/description/agent.ts";
import type { RunEvent, EventType } from "../../src/events/run-event.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { Script, ScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import type { RunHandle } from "../../src/runtime/handle/run-handle.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import type { Crew } from "../../src/crew/crew.ts";
import { scriptedAgent, soloCrew } from "./crew-harness.ts";

// Loaded before any test begins: a simulated clock does not wait for a module, and under load a module takes long.
await import("../../src/protocols/mcp/client/connect.ts");
await import("../../src/protocols/mcp/client/auth/exchange-code.ts");

export type McpRun = {
  readonly handle: RunHandle;
  readonly clock: SimulatedClock;
  readonly events: readonly RunEvent[];
  readonly of: (type: EventType) => readonly RunEvent[];
  /** Lets time pass until the run waits for a person or has ended. */
  readonly settle: () => Promise<Run>;
};

/** A crew of one agent whose model calls these tools, one a turn, and then says what the last one gave. */
export function crewCalling(
  calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>]>,
  options: Partial<AgentOptions> = {},
): { readonly crew: Crew; readonly model: ScriptedModel } {
  const script: Script = ({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool");
    const next = calls[results.length];
    if (next === undefined) return `Final: ${results.at(-1)?.content ?? "nothing"}`;
    const [name, args] = next;
    return { toolCalls: [{ name, arguments: args as never }] };
  };
  const { agent, model } = scriptedAgent(script, options);
  return { crew: soloCrew(agent), model };
}

/** Starts a crew whose clock moves only while no request is under way. */
export function startMcpRun(
  crew: Crew,
  underWay: () => number,
  services: RunServices = {},
): McpRun {
  const clock = new SimulatedClock();
  const handle = crew.start({ inputs: {}, clock, id: "run-1", services });
  const events: RunEvent[] = [];
  void (async () => {
    for await (const event of handle.events()) if ("seq" in event) events.push(event);
  })();
  return {
    handle,
    clock,
    events,
    of: (type) => events.filter((event) => event.type === type),
    settle: async () => {
      for (let turn = 0; turn < 2_000; turn++) {
        await quiet(clock, underWay);
        const run = await handle.status();
        const waits = run.waits.some(({ kind }) => kind !== "timer");
        if (isTerminal(run.status) || (run.status === "waiting" && waits)) return run;
        const { nextDueMs } = clock;
        if (nextDueMs !== undefined) await clock.advance(nextDueMs - clock.now());
      }
      throw new Error("the run neither ends nor waits");
    },
  };
}

/** Until nothing has been under way for some turns of the event loop. */
export async function quiet(clock: SimulatedClock, underWay: () => number): Promise<void> {
  for (let still = 0; still < 15; still++) {
    await clock.settle();
    // Digests of the code under test, as those of PKCE, are ahead of this one in the pool of threads.
    await crypto.subtle.digest("SHA-256", new Uint8Array());
    if (underWay() > 0) still = -1;
  }
}

/** The output's text of a run that has ended. */
export async function rawOf(run: McpRun): Promise<string> {
  const ended = await run.settle();
  if (ended.status !== "completed") throw new Error(JSON.stringify(ended.error ?? ended.waits));
  return ((await run.handle.output()) as { readonly raw: string }).raw;
}
