// Memories in React components.
import { act, createElement as h, StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import {
  EdgecrewProvider,
  useMemories,
  type UseMemories,
} from "../../../src/client/react/index.ts";
import { RecallWorld, ADMIN } from "../../support/recall-world.ts";
import { saidEmbedder } from "../../support/memory-harness.ts";
import { enterPage, leavePage, newElement } from "../../support/browser-page.ts";

beforeAll(enterPage);
afterAll(leavePage);

it("lists a person's memories, and saves, changes and forgets them", async () => {
  const world = new RecallWorld({ memory: { embedder: saidEmbedder() } });
  const client = createClient({
    url: "http://crews.test",
    apiKey: ADMIN,
    clock: world.clock,
    fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
  });
  const FIELDS = { scope: "/", categories: [], importance: 0.5 };
  await client.memory.remember("of bert", { ...FIELDS, person: "bert" });
  let shown: UseMemories | undefined;
  const List = (): ReactNode => {
    shown = useMemories({ person: "anna" });
    return shown.items.map(({ id, content }) => h("li", { key: id }, content));
  };
  const page = newElement<Parameters<typeof createRoot>[0]>();
  const root = createRoot(page);
  await act(async () => root.render(h(StrictMode, null, h(EdgecrewProvider, { client }, h(List)))));
  const change = (work: () => Promise<void> | undefined) => act(async () => work());
  await change(() => shown?.remember("likes tea", FIELDS));
  expect(page.innerHTML).toBe("<li>likes tea</li>");
  const [first] = shown?.items ?? [];
  expect(first).toMatchObject({ source: "person:anna" });
  await change(() => shown?.update(first?.id ?? "", { content: "likes coffee" }));
  expect(page.innerHTML).toBe("<li>likes coffee</li>");
  await change(() => shown?.update("none", { content: "x" }));
  expect(shown?.error).toMatchObject({ code: "not_found" });
  expect(page.innerHTML).toBe("<li>likes coffee</li>");
  await change(() => shown?.forget(first?.id ?? ""));
  expect([page.innerHTML, shown?.isLoading, shown?.error]).toEqual(["", false, undefined]);
  await act(async () => root.unmount());
});
