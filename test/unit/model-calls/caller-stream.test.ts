import { expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { callerStreams, streamContext } from "../../../src/model-calls/caller-stream.ts";
import { HttpWorld } from "../../support/http-app.ts";

async function streamsWith(options: { stream?: boolean; context?: object }): Promise<boolean> {
  const { stream, context } = options;
  const teller = new Agent({
    role: "Teller",
    goal: "Tell",
    backstory: "Calm.",
    ...(stream === undefined ? undefined : { stream }),
  });
  const world = new HttpWorld({ agents: { teller } });
  await world.runs.start({
    id: "run",
    tenant: "default",
    kind: "agent",
    name: "teller",
    inputs: { messages: "Hi", inputs: {} },
    ...(context === undefined ? undefined : { context: context as never }),
  });
  await world.clock.settle();
  const { text } = await world.ask("/runs/run/events?types=llm_call_started");
  return /"stream":true/.test(text);
}

it("agents stream for a caller of streamed words, unless their definition disables it", async () => {
  expect(await streamsWith({})).toBe(false);
  expect(await streamsWith({ context: streamContext(true) })).toBe(true);
  expect(await streamsWith({ stream: false, context: streamContext(true) })).toBe(false);
  expect(callerStreams({})).toBe("followed");
  expect(callerStreams({ context: streamContext(false) })).toBe(false);
  expect(callerStreams({ context: { stream: "yes" } })).toBe("followed");
});
