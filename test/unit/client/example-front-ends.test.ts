// The examples of front ends that a test can run without a browser: of Vue and of React Native.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { Agent, Crew, Task } from "../../../src/index.ts";
import type { RunState, RunStore } from "../../../src/client/index.ts";
import { FilesWorld } from "../../support/files-world.ts";
import { ask, askingScript, HttpWorld } from "../../support/http-app.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-examples-`);

/** What of Vue the example uses, without what draws: `watch` calls once, and scopes end by hand. */
const VUE = `
  export const shallowRef = (value) => ({ value });
  export const toValue = (source) => (typeof source === "function" ? source() : source.value);
  export const watch = (source, changed) => changed(source());
  export const onScopeDispose = (leave) => void globalThis.scope.push(leave);
`;

async function example<Module>(path: string): Promise<Module> {
  const outfile = `${folder}/${path.replaceAll("/", "-")}.mjs`;
  await build({
    entryPoints: [`${root}examples/frontends/${path}`],
    alias: { "edgecrew-client": `${root}src/client/index.ts` },
    plugins: [
      {
        name: "vue",
        setup: (plugin) => {
          plugin.onResolve({ filter: /^vue$/ }, () => ({ path: "vue", namespace: "vue" }));
          plugin.onLoad({ filter: /.*/, namespace: "vue" }, () => ({ contents: VUE }));
        },
      },
    ],
    bundle: true,
    format: "esm",
    outfile,
  });
  return (await import(outfile)) as Module;
}

const scope: Array<() => void> = [];

beforeEach(() => {
  vi.stubGlobal("scope", scope);
  vi.stubGlobal("WebSocket", undefined);
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Time of the Worker goes on until it is so. */
async function until(world: HttpWorld, isSo: () => boolean): Promise<void> {
  await expect
    .poll(async () => (await world.clock.advance(500), isSo()), { timeout: 20_000, interval: 20 })
    .toBe(true);
}

it("the composable of Vue has a run as a ref, answers, and leaves it with its scope (CC13)", async () => {
  const world = new HttpWorld({ script: askingScript() });
  let open = 0;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const response = await world.app.request(url, init);
    if (!url.includes("/events")) return response;
    open++;
    init.signal?.addEventListener("abort", () => open--);
    return response;
  });
  const { useRun } = await example<{
    readonly useRun: (id: () => string) => {
      state: { value: RunState };
      store: { value: RunStore };
    };
  }>("vue/use-run.ts");
  const id = await world.kickoff("briefing", { inputs: { topic: "tea" } });
  const { state, store } = useRun(() => id);
  await until(world, () => state.value.waits.length === 1);
  await store.value.answer(state.value.waits[0]?.key ?? "", { feedback: "yes" });
  await until(world, () => state.value.status === "completed");
  expect(state.value.messages.at(-1)?.role).toBe("assistant");
  for (const leave of scope.splice(0)) leave();
  store.value.close();
  expect(open).toBe(0);
});

const describe = new Crew({
  name: "describe",
  tasks: [
    new Task({
      name: "describe",
      description: "Say what the file shows.",
      expectedOutput: "A line",
      agent: new Agent({ role: "Reader", goal: "Read", backstory: "You read.", tools: [ask] }),
    }),
  ],
});

type Phone = {
  readonly crewOnPhone: (options: object) => {
    describe(
      picture: object,
      onProgress: (part: number) => void,
      signal: AbortSignal,
    ): Promise<string>;
    follow(id: string): RunStore;
    messageOf(error: unknown): string;
  };
};

it("the app of React Native uploads a file, follows its run, and has it again when it comes back (CC13)", async () => {
  const world = new FilesWorld({ crews: { describe }, script: askingScript() });
  const tokens = new Set<string | null>();
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    if (url === "file:///note.txt") return new Response("a note");
    tokens.add(new Headers(init?.headers).get("authorization"));
    const response = await world.app.request(url, init);
    return Object.defineProperty(response, "body", { value: undefined });
  });
  const { crewOnPhone } = await example<Phone>("react-native.ts");
  const kept = new Map<string, string>();
  const storage = {
    getItem: async (key: string) => kept.get(key) ?? null,
    setItem: async (key: string, value: string) => void kept.set(key, value),
  };
  const options = { url: "http://crews.test", getToken: async () => "a-token", storage };
  const app = crewOnPhone(options);
  const parts: number[] = [];
  const picture = { uri: "file:///note.txt", name: "note.txt", type: "text/plain" };
  const id = await app.describe(picture, (part) => parts.push(part), new AbortController().signal);
  expect([parts[0], parts.at(-1)]).toEqual([0, 1]);
  const files = await world.get(`/files?run=${id}`);
  expect(files.json["items"]).toMatchObject([
    { name: "note.txt", mediaType: "text/plain", bytes: 6 },
  ]);
  const store = app.follow(id);
  const leave = store.subscribe(() => undefined);
  await until(world, () => store.get().waits.length === 1);
  leave();
  store.close();
  const again = crewOnPhone(options).follow(id);
  await expect.poll(() => again.get().waits.length).toBe(1);
  again.subscribe(() => undefined);
  await again.answer(again.get().waits[0]?.key ?? "", { feedback: "yes" });
  await until(world, () => again.get().status === "completed");
  again.close();
  expect([...tokens]).toEqual(["Bearer a-token"]);
  expect(app.messageOf(new Error("x"))).toBe("Something went wrong.");
});
