// Objects that step in on this side of a conversation, and A2UI.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  A2UI_COMPONENTS,
  a2ui,
  remoteAgent,
  type A2AClientExtension,
} from "../../../../../src/entry/a2a.ts";
import type { JsonValue } from "../../../../../src/base/json.ts";
import { tool } from "../../../../../src/tools/tool.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import { a2aPeer, type PeerOptions } from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";

async function asked(
  clientExtensions: readonly A2AClientExtension[],
  options: PeerOptions & { readonly messages?: readonly string[] } = {},
) {
  const { messages = ["Rain?"], ...peerOptions } = options;
  const peer = a2aPeer(peerOptions);
  const { agent, model } = scriptedAgent(askingInTurn(messages), {
    a2a: remoteAgent({ endpoint: peer.url, clientExtensions }, { fetch: peer.fetch }),
  });
  const run = await runCrewToEnd(soloCrew(agent));
  return { peer, model, run, told: messages.map((_, index) => lastTold(model, index + 1)) };
}

describe("a client extension", () => {
  it("changes requests and answers, and is named in the header", async () => {
    const { peer, told, model } = await asked(
      [
        {
          uri: "urn:polite",
          injectTools: ({ role }) => [
            tool({
              name: "bow",
              description: `Bows for ${role}`,
              input: z.object({}),
              run: () => "bowed",
            }),
          ],
          extractStateFromHistory: (history) =>
            ({ isReady: () => false, count: history.length }) as never,
          augmentPrompt: (prompt, state) =>
            `${prompt} Please (${(state as unknown as { count: number }).count}).`,
          prepareMessageMetadata: () => ({ polite: true }),
          processResponse: (response) => ({ ...response, text: response.text.toUpperCase() }),
        },
      ],
      { messages: ["Rain?", "And wind?"] },
    );
    expect(peer.turns.map(({ text }) => text)).toEqual([
      "Rain? Please (0).",
      "And wind? Please (2).",
    ]);
    expect(peer.turns[0]?.metadata).toEqual({ polite: true });
    expect(peer.sends()[0]?.headers.get("a2a-extensions")).toBe("urn:polite");
    expect(told[0]).toBe("YOU SAID: RAIN? PLEASE (0).");
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
      "ask_weather_bot",
      "bow",
    ]);
  });

  it("is skipped with a warning when it throws", async () => {
    const fails = (): never => {
      throw new Error("broken");
    };
    const { told, run } = await asked([
      {
        injectTools: fails,
        extractStateFromHistory: fails,
        augmentPrompt: fails,
        processResponse: fails,
      },
      { augmentPrompt: (prompt) => `${prompt}!` },
    ]);
    expect(told).toEqual(["You said: Rain?!"]);
    const messages = run.kept("agent_warning").map((event) => "message" in event && event.message);
    expect(messages.length).toBeGreaterThanOrEqual(2);
    for (const message of messages)
      expect(message).toBe(
        'an extension for the remote agent "Weather Bot" threw and was skipped: broken',
      );
  });

  it("ends a loop with the model's own next words once it is ready", async () => {
    const peer = a2aPeer();
    const { agent, model } = scriptedAgent(
      [JSON.stringify({ a2a_ids: [], message: "Hi", is_a2a: true }), "In my own words"],
      {
        a2a: remoteAgent(
          {
            endpoint: peer.url,
            delegation: "loop",
            clientExtensions: [
              { extractStateFromHistory: (history) => ({ isReady: () => history.length > 1 }) },
            ],
          },
          { fetch: peer.fetch },
        ),
      },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("In my own words");
    expect(model.calls[1]?.request.responseSchema).toBeUndefined();
  });
});

describe("AXU1: A2UI", () => {
  const MEDIA_TYPE = "application/json+a2ui";
  const through = (extension: A2AClientExtension, value: JsonValue): JsonValue | undefined =>
    extension.processResponse?.({ text: "", data: [{ mediaType: MEDIA_TYPE, value }] }, undefined)
      .data[0]?.value;
  const text = { id: "t", component: { Text: { text: { literalString: "Hi" } } } };
  const evil = { id: "e", component: { IFrame: { src: "https://evil.example.com" } } };

  it("leaves in the messages of its version, and no others", () => {
    const old = a2ui();
    const begin = { beginRendering: { surfaceId: "s", root: "t" } };
    expect(through(old, begin)).toEqual(begin);
    expect(through(old, { deleteSurface: { surfaceId: "s" } })).toBeDefined();
    for (const wrong of [
      { beginRendering: { surfaceId: "s" } },
      { createSurface: { surfaceId: "s" } },
      { surfaceUpdate: { surfaceId: "s", components: "all" } },
      { toString: { surfaceId: "s" } },
      { ...begin, deleteSurface: { surfaceId: "s" } },
      "text",
      null,
      [],
    ])
      expect(through(old, wrong as JsonValue)).toBeUndefined();
    const newer = a2ui({ version: "v0.9" });
    expect(through(newer, { createSurface: { surfaceId: "s", catalogId: "c" } })).toBeDefined();
    expect(
      through(newer, { updateDataModel: { surfaceId: "s", path: "/", contents: 1 } }),
    ).toBeDefined();
    expect(through(newer, begin)).toBeUndefined();
  });

  it("AXU2: removes disallowed components", () => {
    const update = { surfaceUpdate: { surfaceId: "s", components: [text, evil] } };
    expect(through(a2ui(), update)).toEqual({
      surfaceUpdate: { surfaceId: "s", components: [text] },
    });
    expect(through(a2ui({ allowedComponents: ["Button"] }), update)).toBeUndefined();
    expect(through(a2ui(), [update, { nothing: 1 }])).toEqual([
      { surfaceUpdate: { surfaceId: "s", components: [text] } },
    ]);
    const newer = {
      updateComponents: {
        surfaceId: "s",
        components: [
          { id: "t", component: "Text" },
          { id: "e", component: "IFrame" },
        ],
      },
    };
    expect(through(a2ui({ version: "v0.9" }), newer)).toEqual({
      updateComponents: { surfaceId: "s", components: [{ id: "t", component: "Text" }] },
    });
    expect(through(a2ui({ catalogId: "urn:mine" }), update)).toEqual(update);
    expect(through(a2ui({ catalogId: "urn:mine", allowedComponents: ["IFrame"] }), update)).toEqual(
      { surfaceUpdate: { surfaceId: "s", components: [evil] } },
    );
    expect(A2UI_COMPONENTS).toHaveLength(18);
  });

  it("leaves other parts unchanged, and passes the rest to the model", async () => {
    const { told, peer } = await asked([a2ui({ allowedComponents: ["Text"] })], {
      script: ({ artifact, status }) => {
        artifact("", {
          id: "ui",
          data: { surfaceUpdate: { surfaceId: "s", components: [text, evil] } },
          mediaType: MEDIA_TYPE,
        });
        artifact("", { id: "json", data: { rain: true }, mediaType: "application/json" });
        status("COMPLETED", "See");
      },
    });
    expect(told[0]).toContain('{"rain":true}');
    expect(told[0]).toContain('"Text"');
    expect(told[0]).not.toContain("IFrame");
    expect(peer.sends()[0]?.headers.get("a2a-extensions")).toMatch(/a2ui\/v0\.8$/);
    expect(peer.turns[0]?.metadata).toMatchObject({
      a2uiClientCapabilities: { allowedComponents: ["Text"] },
    });
  });

  it("refuses unknown options", () => {
    expect(() => a2ui({ version: "v1" as never })).toThrow('"v0.8" or "v0.9"');
    expect(() => a2ui({ allowed: [] } as never)).toThrow('a2ui() has no option "allowed"');
    expect(() => a2ui({ allowedComponents: "Text" as never })).toThrow("must be a list");
  });
});
