import { afterEach, describe, expect, it, vi } from "vitest";
import { demoModel } from "../../../../src/entry/models.ts";
import type { LanguageModel, ModelRequest } from "../../../../src/llm/language-model.ts";
import { resolveModel, type ModelSpec } from "../../../../src/llm/resolve-model.ts";

const REQUEST: ModelRequest = { messages: [{ role: "user", content: "Our number is 4711." }] };

const ask = (model: LanguageModel) =>
  model.generate(REQUEST, { signal: AbortSignal.timeout(5_000) });

/** Replaces both texts that wrangler replaces in a bundle. */
function buildFor(runtime: string, mode: string): void {
  vi.stubGlobal("navigator", { userAgent: runtime });
  vi.stubEnv("NODE_ENV", mode);
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe("offline/demo in a Worker built for production", () => {
  const resolve = (spec?: ModelSpec, models?: Record<string, LanguageModel>): LanguageModel =>
    resolveModel(spec, { variables: {}, ...(models === undefined ? {} : { models }) });

  it("fails each call with model_unauthorized and the two remedies", async () => {
    buildFor("Cloudflare-Workers", "production");
    const model = resolve();
    expect(model.id).toBe("offline/demo");
    expect(model.missingKey).toMatch(/MODEL.*demoModel\(\) of edgecrew\/models/);
    await expect(ask(model)).rejects.toMatchObject({
      code: "model_unauthorized",
      message: model.missingKey,
    });
  });

  it("answers if the app registers it", async () => {
    buildFor("Cloudflare-Workers", "production");
    const model = resolve("offline/demo", { "offline/demo": demoModel() });
    expect(model.missingKey).toBeUndefined();
    expect((await ask(model)).text).toContain("4711");
  });

  it("lets a chain go on with its next model", async () => {
    buildFor("Cloudflare-Workers", "production");
    expect((await ask(resolve(["offline/demo", "offline/echo"]))).text).toBe("Our number is 4711.");
  });

  it.each([
    ["Cloudflare-Workers", "development"],
    ["Node.js/24", "production"],
  ])("answers in %s built for %s", async (runtime, mode) => {
    buildFor(runtime, mode);
    expect((await ask(resolve())).text).toContain("4711");
  });
});

it("answers with the last message as offline/echo, and stops when it is aborted", async () => {
  const model = resolveModel("offline/echo", { variables: {} });
  expect(await ask(model)).toMatchObject({ text: "Our number is 4711.", finishReason: "stop" });
  await expect(model.generate(REQUEST, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});
