// What a store of webhooks does, wherever its rows are: `describeWebhookStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookStore, StoredWebhook } from "../../src/triggers/webhook-store.ts";

export type WebhookStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => WebhookStore | Promise<WebhookStore>;
};

const MAX_WEBHOOKS = 1_000;

export function describeWebhookStore({ name, open }: WebhookStoreForm): void {
  describe(`a webhook store ${name}`, () => {
    let store: WebhookStore;

    beforeEach(async () => {
      store = await open();
    });

    function webhook(webhookName: string, more: Partial<StoredWebhook> = {}): StoredWebhook {
      return {
        tenant: "acme",
        name: webhookName,
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
      const whole = webhook("issues", {
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

    it("replaces all of a webhook except its time of creation", async () => {
      await store.put(webhook("a", { previous: { secret: "old", untilMs: 99 } }));
      const renewed = webhook("a", {
        definition: { scheme: "slack", target: { kind: "agent", name: "writer" } },
        secret: "sealed anew",
        createdAtMs: 7,
        updatedAtMs: 7,
      });
      await store.put(renewed);
      expect(await store.get("acme", "a")).toEqual({ ...renewed, createdAtMs: 1 });
      await store.put(webhook("a", { previous: { secret: "newer", untilMs: 0 } }));
      expect((await store.get("acme", "a"))?.previous).toEqual({ secret: "newer", untilMs: 0 });
    });

    it("keeps tenants apart", async () => {
      const theirs = webhook("a", { tenant: "other", secret: "theirs" });
      await store.put(webhook("a"));
      await store.put(theirs);
      expect(await store.get("acme", "a")).toEqual(webhook("a"));
      expect(await names({ limit: 5 })).toEqual(["a"]);
      expect(await store.delete("acme", "a")).toBe(true);
      expect(await store.get("acme", "a")).toBeUndefined();
      expect(await store.get("other", "a")).toEqual(theirs);
    });

    it("lists by name, page by page, also if webhooks are added and deleted in between", async () => {
      for (const each of ["d", "b", "f"]) await store.put(webhook(each));
      expect(await names({ limit: 2 })).toEqual(["b", "d"]);
      await store.delete("acme", "d");
      await store.put(webhook("a"));
      await store.put(webhook("e"));
      expect(await names({ afterName: "d", limit: 2 })).toEqual(["e", "f"]);
      expect(await names({ afterName: "f", limit: 2 })).toEqual([]);
    });

    it("deletes a webhook once", async () => {
      await store.put(webhook("a"));
      expect(await store.delete("acme", "a")).toBe(true);
      expect(await store.delete("acme", "a")).toBe(false);
      expect(await store.delete("acme", "never")).toBe(false);
    });

    it("refuses one webhook too many, but still replaces existing ones", async () => {
      await Promise.all(
        Array.from({ length: MAX_WEBHOOKS }, (_, index) => store.put(webhook(`h${index}`))),
      );
      await expect(store.put(webhook("one more"))).rejects.toMatchObject({
        code: "limit_exceeded",
        message: "a tenant may have at most 1000 webhooks; delete some first",
      });
      expect(await store.get("acme", "one more")).toBeUndefined();
      await store.put(webhook("h7", { secret: "renewed" }));
      expect((await store.get("acme", "h7"))?.secret).toBe("renewed");
      await store.put(webhook("one more", { tenant: "other" }));
      await store.delete("acme", "h7");
      await store.put(webhook("one more"));
      expect(await store.get("acme", "one more")).toEqual(webhook("one more"));
    });
  });
}
