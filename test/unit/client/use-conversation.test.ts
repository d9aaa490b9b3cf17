import { act, createElement as h, StrictMode, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createClient, type EdgecrewClient } from "../../../src/client/index.ts";
import {
  EdgecrewProvider,
  useConversation,
  type UseConversation,
  type UseConversationOptions,
} from "../../../src/client/react/index.ts";
import { Agent } from "../../../src/index.ts";
import { enterPage, forgetPage, leavePage, newElement } from "../../support/browser-page.ts";
import { ConversationWorld, REVIEW } from "../../support/conversation-world.ts";
import { FilesWorld } from "../../support/files-world.ts";
import type { HttpWorld } from "../../support/http-app.ts";

const roots: Root[] = [];
beforeAll(enterPage);
afterAll(leavePage);
beforeEach(() => forgetPage());
afterEach(async () => {
  for (const root of roots.splice(0)) await act(async () => root.unmount());
});

function connect(world: HttpWorld) {
  const requests: { readonly path: string; readonly body: unknown }[] = [];
  const client = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: (url, init) => {
      const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
      requests.push({ path: url.replace("http://crews.test", ""), body });
      return Promise.resolve(world.app.request(url, init));
    },
  });
  const settle = (): Promise<void> => act(() => world.clock.advance(2_000));
  return { client, requests, settle };
}

/** A page with a chat; the returned object always has what the hook gave last, and what it gave first. */
async function chat(client: EdgecrewClient, options: UseConversationOptions) {
  const page = { talk: undefined as unknown as UseConversation, first: [] as UseConversation[] };
  const Chat = (): ReactNode => {
    page.talk = useConversation(options);
    page.first = [...page.first, page.talk].slice(0, 1);
    return null;
  };
  const root = createRoot(newElement<Parameters<typeof createRoot>[0]>());
  roots.push(root);
  await act(async () => root.render(h(StrictMode, null, h(EdgecrewProvider, { client }, h(Chat)))));
  return page;
}

const said = ({ talk }: { readonly talk: UseConversation }): readonly string[] =>
  talk.messages.map(({ name, role, content }) => `${name ?? role}: ${content}`);

it("a conversation continues with its person, from turn to turn, and after a reload", async () => {
  const world = new ConversationWorld();
  await world.store("review", REVIEW);
  const { client, requests, settle } = connect(world);
  const options = { kind: "conversation", name: "review", session: "talk" } as const;
  const page = await chat(client, options);
  await settle();
  expect(page.talk.status).toBe("idle");
  await act(() => page.talk.send("A text, please."));
  await settle();
  expect(said(page)).toEqual(["ana: A text, please.", "writer: You write. 2"]);
  expect(page.talk).toMatchObject({ status: "waiting", waits: [{ kind: "human" }] });
  await act(() => page.talk.send("Fine"));
  await settle();
  expect(said(page).at(-1)).toBe("ana: Fine");
  const reloaded = await chat(client, options);
  const [early] = reloaded.first;
  expect(early?.status).toBe("loading");
  await expect(early?.send("Too early")).rejects.toMatchObject({ code: "conflict" });
  await settle();
  expect(said(reloaded)).toEqual(said(page));
  await act(() => reloaded.talk.send("Done"));
  await settle();
  expect(reloaded.talk.status).toBe("completed");
  // The next turn is a run of its own, with all that was said as history.
  await act(() => reloaded.talk.send("Another one."));
  await settle();
  expect(said(reloaded).slice(-3)).toEqual([
    "ben: Done",
    "ana: Another one.",
    "writer: You write. 6",
  ]);
  const kickoffs = requests.filter(({ path }) => path.endsWith("/kickoff"));
  expect(kickoffs.map(({ body }) => (body as { id: string }).id)).toEqual(["talk", "talk-1"]);
  const again = await chat(client, options);
  await settle();
  expect(said(again)).toEqual(said(reloaded));
  // In place of a message: what came after it is dropped.
  await act(() => again.talk.edit(1, "Shorter!"));
  await settle();
  expect(said(again)).toEqual(["ana: A text, please.", "ana: Shorter!", "writer: You write. 3"]);
});

it("files go with a message", async () => {
  const helper = new Agent({ role: "Helper", goal: "Help", backstory: "Kind." });
  const { client, requests, settle } = connect(new FilesWorld({ agents: { helper } }));
  const page = await chat(client, { kind: "agent", name: "helper" });
  const files = [new File(["one"], "a.txt"), new File(["two"], "a.txt"), new Blob(["three"])];
  await act(() => page.talk.send("Read them", { files }));
  await settle();
  expect(requests.filter(({ path }) => path.startsWith("/files"))).toHaveLength(3);
  const kickoff = requests.find(({ path }) => path.endsWith("/kickoff"))?.body;
  const sent = { $file: expect.any(String) as string };
  expect(kickoff).toMatchObject({
    inputFiles: { "a.txt": sent, "2-a.txt": sent, file: sent },
  });
  const crew = await chat(client, { kind: "crew", name: "briefing" });
  await act(() => crew.talk.send("Read it", { files: { notes: new Blob(["tea"]) } }));
  const turn = requests.find(({ path }) => path.endsWith("/chat"))?.body;
  expect(turn).toMatchObject({ inputFiles: { notes: sent } });
});
