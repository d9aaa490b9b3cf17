import { expect, it } from "vitest";
import { platformPart } from "../../../src/cloudflare/platform-part.ts";
import { openServices } from "../../../src/parts/services.ts";

function servicesWith(env: object): ReturnType<typeof openServices> {
  const place = { tenant: "default", env, environment: { variables: {} }, outbound: {} };
  return openServices([platformPart({})], place as never);
}

it("passes bindings to their tools", () => {
  const env = {
    EMAIL: { send: () => undefined },
    AI: { toMarkdown: () => undefined },
    AI_SEARCH: {},
  };
  const { email, markdown, aiSearch } = servicesWith(env);
  expect([email, markdown, aiSearch]).toEqual([env.EMAIL, env.AI, env.AI_SEARCH]);
});

it("passes undefined for missing bindings", () => {
  const { email, markdown, aiSearch } = servicesWith({});
  expect([email, markdown, aiSearch]).toEqual([undefined, undefined, undefined]);
});
