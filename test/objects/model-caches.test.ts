import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { systemClock } from "../../src/base/system.ts";
import { D1ModelCache } from "../../src/cloudflare/stores/d1-model-cache.ts";
import { kvModelCache } from "../../src/cloudflare/stores/kv-model-cache.ts";
import { describeModelCache } from "../support/model-cache.suite.ts";

describeModelCache({
  name: "in D1",
  open: async () => {
    await env.DB.exec("DELETE FROM model_cache");
    const cacheOf = (tenant: string) => new D1ModelCache(env.DB, tenant, systemClock);
    return { ours: cacheOf("a"), theirs: cacheOf("b") };
  },
});

let opened = 0;
describeModelCache({
  name: "in KV",
  open: async () => {
    const at = ++opened;
    const cacheOf = (tenant: string) => kvModelCache("ANSWERS")(env, `${tenant}/${at}`);
    return { ours: cacheOf("a"), theirs: cacheOf("b") };
  },
});

it("sets the expiry of an answer in KV", async () => {
  const nowSeconds = systemClock.now() / 1000;
  await kvModelCache("ANSWERS")(env, "c").set("k", 1, 600);
  const { ANSWERS } = env as unknown as { readonly ANSWERS: KVNamespace };
  const { keys } = await ANSWERS.list({ prefix: "edgecrew/models/c/" });
  expect(keys).toHaveLength(1);
  expect((keys[0]?.expiration ?? 0) - nowSeconds).toBeGreaterThan(590);
});
