import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { supportReply } from "../../examples/support-reply.ts";
import { apiDescription } from "../../src/entry/api-description.ts";
import { crewaiApi } from "../../src/entry/crewai-api.ts";
import { defineApp, type AppOptions } from "../../src/worker.ts";

it("refuses an unknown option of an app with its nearest name", () => {
  expect(() => defineApp({ crew: {} } as never)).toThrow(
    /^defineApp\(\) has no option "crew"; it has: crews, agents, .*\. Is it crews\?$/,
  );
});

/** Asks an app of one crew, with these options. */
async function ask(options: AppOptions, path: string): Promise<Response> {
  const app = defineApp({ crews: { support: supportReply }, ...options });
  const request = new Request(`http://localhost${path}`);
  return app.fetch(request, env, createExecutionContext());
}

it.each(["/openapi.json", "/docs"])("serves %s with apiDescription() alone", async (path) => {
  expect((await ask({}, path)).status).toBe(404);
  expect((await ask({ parts: [apiDescription()] }, path)).status).toBe(200);
});

it("serves CrewAI's hosted API with crewaiApi() alone", async () => {
  const path = "/compat/support/inputs";
  expect((await ask({}, path)).status).toBe(404);
  expect((await ask({ parts: [crewaiApi()] }, path)).status).toBe(200);
});

it("describes the description itself", async () => {
  const answer = await ask({ parts: [apiDescription()] }, "/openapi.json");
  const { paths } = await answer.json<{ paths: object }>();
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/openapi.json", "/docs", "/runs"]));
});
