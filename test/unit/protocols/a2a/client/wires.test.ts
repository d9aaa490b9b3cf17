// The wires of A2A, against the servers of the project's SDK, and one of another maker.
import { A2AMock } from "@copilotkit/aimock";
import { describe, expect, it } from "vitest";
import { remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import { a2aPeer, type Peer, type PeerOptions } from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";

async function told(
  options: PeerOptions & {
    readonly config?: Partial<A2AClientConfig>;
    readonly messages?: readonly string[];
  },
): Promise<{ peer: Peer; told: string[] }> {
  const { config, messages = ["Rain?"], ...peerOptions } = options;
  const peer = a2aPeer(peerOptions);
  const { agent, model } = scriptedAgent(askingInTurn(messages), {
    a2a: remoteAgent({ endpoint: peer.url, ...config }, { fetch: peer.fetch }),
  });
  await runCrewToEnd(soloCrew(agent));
  return { peer, told: messages.map((_, index) => lastTold(model, index + 1)) };
}

const bindings = [
  ["JSON-RPC 1.0", {}],
  [
    "HTTP+JSON 1.0",
    {
      interfaces: [
        {
          url: "https://weather.example.com/rest",
          protocolBinding: "HTTP+JSON",
          protocolVersion: "1.0",
        },
      ],
    },
  ],
  ["JSON-RPC 0.3", { version: "0.3" as const }],
] satisfies Array<[string, PeerOptions & { config?: Partial<A2AClientConfig> }]>;

describe.each(bindings)("%s", (name, options) => {
  it.each([
    ["streams", {}],
    ["polls", { streaming: false }],
  ])("%s, over several messages", async (_, how) => {
    const done = await told({
      ...options,
      ...how,
      messages: ["Rain?", "Rome"],
      script: ({ text, status, artifact }) => {
        if (text === "Rain?") return status("INPUT_REQUIRED", "Where?");
        artifact("Rain in ", { last: false });
        artifact(text, { append: true });
        status("COMPLETED");
      },
    });
    expect(done.told[0]).toContain("Where?");
    expect(done.told[1]).toBe("Rain in Rome");
    expect(done.peer.turns[1]).toMatchObject({ isFollowUp: true });
    const version = name.endsWith("0.3") ? "0.3" : "1.0";
    for (const { headers } of done.peer.sends()) expect(headers.get("a2a-version")).toBe(version);
  });

  it("reads once the words that stand in the task's message and in its artifact", async () => {
    const done = await told({
      ...options,
      messages: ["Rain?", "Snow?"],
      script: ({ text, artifact, status }) => {
        artifact(`${text} No.`);
        status("COMPLETED", text === "Rain?" ? `${text} No.` : "Done:");
      },
    });
    expect(done.told).toEqual(["Rain? No.", "Done: Snow? No."]);
  });

  it("takes a plain message", async () => {
    const done = await told({
      ...options,
      messages: ["message: hello"],
      script: ({ message }) => message("Hi"),
    });
    expect(done.told).toEqual(["Hi"]);
  });
});

it("sends the interface's tenant, and the requested extensions", async () => {
  const { peer } = await told({
    interfaces: [
      {
        url: "https://weather.example.com/rpc",
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
        tenant: "acme",
      } as never,
    ],
    config: { extensions: ["urn:a", "urn:b"], responseModel: { type: "object" } },
  });
  const [request] = peer.sends();
  const { params } = JSON.parse(request?.body ?? "") as {
    params: { tenant: string; message: { parts: Array<{ metadata: object }> } };
  };
  expect(params.tenant).toBe("acme");
  expect(params.message.parts[0]?.metadata).toEqual({
    mimeType: "application/json",
    schema: { type: "object" },
  });
  expect(request?.headers.get("a2a-extensions")).toBe("urn:a,urn:b");
  expect(request?.headers.get("x-a2a-extensions")).toBe("urn:a,urn:b");
});

it("asks a server of another maker", async () => {
  const mock = new A2AMock({ port: 0 });
  mock.registerAgent({ name: "Weather Bot", description: "Knows the weather", skills: [] });
  mock.onMessage("Weather Bot", "Rain?", [{ text: "Rain" }]);
  await mock.start();
  try {
    const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
      a2a: remoteAgent({ endpoint: mock.url, updates: "polling" }),
    });
    await agent.kickoff("Rain?");
    expect(lastTold(model, 1)).toBe("Rain");
  } finally {
    await mock.stop();
  }
});
