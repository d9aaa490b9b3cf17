// oxlint-disable no-unnecessary-type-assertion, await-thenable -- events are written as a server sends them
import {
  enterPage,
  forgetPage,
  leavePage,
  newElement,
  type Drawn,
} from "../../support/browser-page.ts";
import { act, createElement as h, StrictMode, Suspense, use, type ReactNode } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { createClient, type LiveEvent, type RunEvent } from "../../../src/client/index.ts";
import {
  EdgecrewProvider,
  useInbox,
  useKickoff,
  useRun,
  useRuns,
  useText,
  type UseKickoff,
} from "../../../src/client/react/index.ts";
import { askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";

const TEA = { inputs: { topic: "tea" } };
const roots: Root[] = [];
let complaints: ReturnType<typeof vi.spyOn>;

beforeAll(enterPage);
afterAll(leavePage);

beforeEach(() => {
  complaints = vi.spyOn(console, "error");
  forgetPage();
});

afterEach(async () => {
  for (const root of roots.splice(0)) await act(async () => root.unmount());
  const said = complaints.mock.calls;
  complaints.mockRestore();
  if (said.length > 0) throw new Error(`React complains: ${String(said[0])}`);
});

function connect(options: HttpWorldOptions = {}) {
  const world = new HttpWorld(options);
  const requests: string[] = [];
  const client = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: (url, init) => {
      requests.push(`${init.method} ${url.replace("http://crews.test", "")}`);
      return Promise.resolve(world.app.request(url, init));
    },
  });
  const advance = (ms: number): Promise<void> => act(() => world.clock.advance(ms));
  const show = async (component: () => ReactNode, strict = true): Promise<Drawn> => {
    const page = newElement<Parameters<typeof createRoot>[0]>();
    const root = createRoot(page);
    roots.push(root);
    const provided = h(EdgecrewProvider, { client }, h(component));
    await act(async () => root.render(strict ? h(StrictMode, null, provided) : provided));
    return page;
  };
  return { world, client, requests, advance, show };
}

it("shows a run under StrictMode over one connection, also for two components (CC9)", async () => {
  const { client, requests, advance, show } = connect();
  const { id } = await client.crews.kickoff("briefing", TEA);
  const Status = (): ReactNode => h("b", null, useRun(id).state?.status);
  const Text = (): ReactNode => h("i", null, useText(id));
  const page = await show(() => [h(Status, { key: 1 }), h(Text, { key: 2 })]);
  await advance(5_000);
  expect(page.innerHTML).toBe("<b>completed</b><i>A fine answer</i>");
  expect(requests.filter((path) => path.includes("/events"))).toHaveLength(1);
});

it("continues through Suspense, and leaves no timer after a fast unmount (CC9)", async () => {
  const { world, client, advance, show } = connect({ script: askingScript() });
  const { id } = await client.crews.kickoff("briefing", TEA);
  await advance(1_000);
  const before = world.clock.pending;
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const Late = (): ReactNode => {
    const { state } = useRun(id);
    use(gate);
    return h("b", null, state?.status);
  };
  const page = await show(() => h(Suspense, { fallback: "wait" }, h(Late)));
  expect(page.textContent).toBe("wait");
  await act(async () => release());
  await advance(100);
  expect(page.textContent).toBe("waiting");
  await act(async () => roots.splice(0)[0]?.unmount());
  await advance(6_000);
  expect(world.clock.pending).toBe(before);
});

it("renders its input on a server, and sends no request (CC9)", async () => {
  const { client, requests, advance } = connect();
  const run = await client.crews.kickoff("briefing", TEA);
  await advance(5_000);
  const initial = await run.status();
  const asked = requests.length;
  const Status = (): ReactNode => h("b", null, useRun(run, { initial }).state?.status);
  const Other = (): ReactNode => h("i", null, useRuns().items.length, useRun(null).state?.status);
  const html = renderToString(h(EdgecrewProvider, { client }, h(Status), h(Other)));
  expect(html).toBe("<b>completed</b><i>0</i>");
  expect(requests).toHaveLength(asked);
});

it("a browser takes over a server-rendered page, also with newer state (CC9)", async () => {
  const { client, advance, show } = connect();
  const run = await client.crews.kickoff("briefing", TEA);
  const initial = await run.status();
  const Page = (): ReactNode => [
    h("b", { key: 1 }, useRun(run, { initial }).state?.status),
    h("i", { key: 2 }, useText(run)),
    h("u", { key: 3 }, useRuns().items.length),
  ];
  // Another part of the page has followed it to its end.
  await show(Page);
  await advance(5_000);
  const server = createClient({ url: "http://crews.test" });
  const html = renderToString(h(EdgecrewProvider, { client: server }, h(Page)));
  expect(html).toBe("<b>queued</b><i></i><u>0</u>");
  const page = newElement<Parameters<typeof createRoot>[0]>();
  Object.assign(page, { innerHTML: html });
  const provided = h(EdgecrewProvider, { client }, h(Page));
  await act(async () => roots.push(hydrateRoot(page, provided)));
  await advance(1_000);
  expect(page.innerHTML).toBe("<b>completed</b><i>A fine answer</i><u>1</u>");
});

it("a component with the status is not rendered again for a thousand chunks (CC10)", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const base = { id: "e", at, runId: "r", path: "task:t/llm" };
  let send: (event: RunEvent | LiveEvent) => void = () => undefined;
  const { world, client, advance, show } = connect();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (event) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    },
  });
  const streaming = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: (url) =>
      Promise.resolve(
        url.includes("/events") ? new Response(body) : new Response("{}", { status: 500 }),
      ),
  });
  expect(client).toBeDefined();
  let drawn = 0;
  let shown = "";
  await show(() => {
    drawn++;
    return useRun("r", { client: streaming, select: ({ status }) => status }).state;
  }, false);
  await show(() => (shown = useText("r", { client: streaming })), false);
  await advance(10);
  send({ ...base, seq: 1, type: "run_started", kind: "crew", name: "c", inputs: {} });
  await advance(100);
  const before = drawn;
  for (let index = 0; index < 1_000; index++) {
    const spoken = { callId: "task:t/llm", chunk: "x", offset: index, attempt: 1 };
    send({ ...base, type: "llm_stream_chunk", ...spoken } as LiveEvent);
    if (index % 100 === 0) await advance(50);
  }
  await advance(100);
  expect(shown).toHaveLength(1_000);
  expect(drawn).toBe(before);
});

it("a double click starts one run, and a reload shows it", async () => {
  const { client, requests, advance, show } = connect({ script: askingScript() });
  let hook: UseKickoff | undefined;
  const Page = (): ReactNode => {
    hook = useKickoff("crew", "briefing", { idKey: "brief" });
    return h("b", null, hook.run.state?.status ?? "none");
  };
  const page = await show(() => h(Page));
  expect(page.textContent).toBe("none");
  const ids = await act(async () => {
    const twice = [hook?.kickoff({ topic: "tea" }), hook?.kickoff({ topic: "tea" })];
    return (await Promise.all(twice)).map((run) => run?.id);
  });
  expect(ids[0]).toBe(ids[1]);
  await advance(1_000);
  expect(page.textContent).toBe("waiting");
  expect(requests.filter((path) => path.startsWith("POST"))).toHaveLength(1);
  const reloaded = await show(() => h(Page));
  await advance(1_000);
  expect(reloaded.textContent).toBe("waiting");
  await act(async () => hook?.reset());
  expect(reloaded.textContent).toBe("none");
  expect(client).toBeDefined();
});

it("the inbox answers, and shows the reason for a refusal", async () => {
  const { client, advance, show } = connect({ script: askingScript("Go on?", ["yes"]) });
  await client.crews.kickoff("briefing", { ...TEA, id: "a" });
  await advance(2_000);
  let inbox: ReturnType<typeof useInbox> | undefined;
  const page = await show(() => {
    inbox = useInbox();
    return inbox.items.map((item) => `${item.prompt} ${item.answer?.state ?? ""}`).join();
  });
  await advance(1_000);
  expect(page.textContent).toBe("Go on? ");
  const key = inbox?.items[0]?.key ?? "";
  await act(async () => inbox?.answer(key, { value: "no" }));
  expect(page.textContent).toBe("Go on? refused");
  await act(async () => inbox?.answer(key, { value: "yes" }));
  await advance(12_000);
  expect(page.textContent).toBe("");
});
