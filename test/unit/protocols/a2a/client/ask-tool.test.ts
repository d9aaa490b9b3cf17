// An agent that asks a real A2A server, as tools.
import { describe, expect, it } from "vitest";
import { remoteAgent } from "../../../../../src/entry/a2a.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";
import { a2aPeer, addressOf, json } from "../../../../support/a2a-peer.ts";

describe("a remote agent as a tool", () => {
  it("AXG3: is offered with its card, is asked, and its answer reaches the model", async () => {
    const peer = a2aPeer();
    const { agent, model } = scriptedAgent(
      [calling("ask_weather_bot", { message: "Rain in Rome?" }), "It will rain"],
      { a2a: remoteAgent(peer.url, { fetch: peer.fetch }) },
    );
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("It will rain");
    expect(lastTold(model, 1)).toBe("You said: Rain in Rome?");
    const [tool] = model.calls[0]!.request.tools ?? [];
    expect(tool).toMatchObject({ name: "ask_weather_bot" });
    expect(tool?.description).toContain("Forecast: Tells the weather");
    expect(
      kept()
        .map(({ type }) => type)
        .filter((type) => type.startsWith("a2a_")),
    ).toEqual([
      "a2a_agent_card_fetched",
      "a2a_transport_negotiated",
      "a2a_content_type_negotiated",
      "a2a_conversation_started",
      "a2a_delegation_started",
      "a2a_message_sent",
      "a2a_streaming_started",
      "a2a_streaming_chunk",
      "a2a_streaming_chunk",
      "a2a_artifact_received",
      "a2a_response_received",
      "a2a_delegation_completed",
      "a2a_conversation_completed",
      "a2a_context_created",
      "a2a_context_completed",
    ]);
  });

  it("AXG1: is found with all others, at most ten at a time", async () => {
    let atOnce = 0;
    let most = 0;
    const fetch = (async (input: unknown) => {
      most = Math.max(most, (atOnce += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
      return json({ name: addressOf(input), url: "https://a.example.com/rpc" });
    }) as typeof globalThis.fetch;
    const endpoints = Array.from({ length: 14 }, (_, index) => `https://a${index}.example.com`);
    const { agent, model } = scriptedAgent(["Fine"], {
      a2a: endpoints.map((endpoint) => remoteAgent(endpoint, { fetch })),
    });
    await agent.kickoff("Hello");
    expect(model.calls[0]?.request.tools).toHaveLength(14);
    expect(most).toBe(10);
  });
});
