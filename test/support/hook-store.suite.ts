// What a store of webhooks does, wherever its rows are: `describeHookStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookStore, StoredWebhook } from "../../src/triggers/hook-store.ts";

export type HookStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => WebhookStore | Promise<WebhookStore>;
};

const MAX_HOOKS = 1_000;

export function describeHookStore({ name, open }: HookStoreForm): void {
  describe(`a hook store ${name}`, () => {
    let store: WebhookStore;

    beforeEach(async () => {
      store = await open();
    });

    function hook(hookName: string, more: Partial<StoredWebhook> = {}): StoredWebhook {
      return {
        tenant: "acme",
        name: hookName,
        definition: { scheme: "github", target: { kind: "crew", name: "briefing" } },
        secret: "sealed",
        createdAtMs: 1,
        updatedAtMs: 1,
        ...more,
      };
    }

    async function names(page: { afterName?: string; limit: number }): Promise<readonly string[]> {
      return (await store.list("acme", page)).map((each) => each.name);
    }

    it("gives back what was stored", async () => {
      const whole = hook("issues", {
        definition: {
          scheme: "hmac",
          target: { kind: "flow", name: "triage" },
          inputs: { topic: "/issue/title" },
          schema: { type: "object" },
          signatureHeader: "x-mac",
          idHeader: "x-id",
          timestampHeader: "x-time",
        },
        previous: { secret: "sealed before", untilMs: 99 },
      });
      await store.put(whole);
      expect(await store.get("acme", "issues")).toEqual(whole);
      expect(await store.get("acme", "Issues")).toBeUndefined();
    });

    it("replaces a hook whole but for when it was made", async () => {
      await store.put(hook("a", { previous: { secret: "old", untilMs: 99 } }));
      const renewed = hook("a", {
        definition: { scheme: "slack", target: { kind: "agent", name: "writer" } },
        secret: "sealed anew",
        createdAtMs: 7,
        updatedAtMs: 7,
      });
      await store.put(renewed);
      expect(await store.get("acme", "a")).toEqual({ ...renewed, createdAtMs: 1 });
      await store.put(hook("a", { previous: { secret: "newer", untilMs: 0 } }));
      expect((await store.get("acme", "a"))?.previous).toEqual({ secret: "newer", untilMs: 0 });
    });

    it("keeps tenants apart", async () => {
      const theirs = hook("a", { tenant: "other", secret: "theirs" });
      await store.put(hook("a"));
      await store.put(theirs);
      expect(await store.get("acme", "a")).toEqual(hook("a"));
      expect(await names({ limit: 5 })).toEqual(["a"]);
      expect(await store.delete("acme", "a")).toBe(true);
      expect(await store.get("acme", "a")).toBeUndefined();
      expect(await store.get("other", "a")).toEqual(theirs);
    });

    it("lists by name, page by page, also when hooks come and go in between", async () => {
      for (const each of ["d", "b", "f"]) await store.put(hook(each));
      expect(await names({ limit: 2 })).toEqual(["b", "d"]);
      await store.delete("acme", "d");
      await store.put(hook("a"));
      await store.put(hook("e"));
      expect(await names({ afterName: "d", limit: 2 })).toEqual(["e", "f"]);
      expect(await names({ afterName: "f", limit: 2 })).toEqual([]);
    });

    it("deletes a hook once", async () => {
      await store.put(hook("a"));
      expect(await store.delete("acme", "a")).toBe(true);
      expect(await store.delete("acme", "a")).toBe(false);
      expect(await store.delete("acme", "never")).toBe(false);
    });

    it("refuses one hook too many, but still replaces those there are", async () => {
      await Promise.all(
        Array.from({ length: MAX_HOOKS }, (_, index) => store.put(hook(`h${index}`))),
      );
      await expect(store.put(hook("one more"))).rejects.toMatchObject({
        code: "limit_exceeded",
        message: "a tenant may have at most 1000 hooks; delete some first",
      });
      expect(await store.get("acme", "one more")).toBeUndefined();
      await store.put(hook("h7", { secret: "renewed" }));
      expect((await store.get("acme", "h7"))?.secret).toBe("renewed");
      await store.put(hook("one more", { tenant: "other" }));
      await store.delete("acme", "h7");
      await store.put(hook("one more"));
      expect(await store.get("acme", "one more")).toEqual(hook("one more"));
    });
  });
}
