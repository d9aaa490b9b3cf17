import { describe, expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import type { RunServices } from "../../../src/events/run-services.ts";
import { file, type InputFiles } from "../../../src/files/file-source.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import type { StoredFiles } from "../../../src/files/stored-files.ts";
import type { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { pngBytes } from "../../support/sample-files.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Runs a crew of two tasks with these files, and answers its record and what its model was told last. */
async function run(inputFiles: InputFiles, services: RunServices = {}, own: InputFiles = {}) {
  const { agent, model } = scriptedAgent(() => "done");
  const tasks = [taskFor(agent, { name: "a", inputFiles: own }), taskFor(agent, { name: "b" })];
  const handle = new Crew({ tasks }).start({ inputFiles, services });
  await handle.output();
  const { steps = [], ...rest } = (await (handle as unknown as LocalRun).export()) as unknown as {
    readonly steps?: readonly { readonly key: string }[];
  };
  const told = JSON.stringify(model.calls.at(-1)?.messages.at(-1)?.content);
  return { keys: steps.map(({ key }) => key), record: JSON.stringify({ steps, ...rest }), told };
}

describe("files of a run", () => {
  it("RFS1: are found in one step for all tasks, with their names in its record", async () => {
    const shared = file(utf8("Tea."), { name: "notes.txt" });
    const { keys, record } = await run(
      { shared },
      {},
      { own: file(utf8("Milk."), { name: "own.txt" }) },
    );
    expect(keys.filter((key) => key === "files")).toHaveLength(1);
    expect(record).toContain('"name":"notes.txt"');
    expect(record).not.toContain("Tea.");
    expect(record).not.toContain("Milk.");
  });

  it("are found by their ids in the file store", async () => {
    const stored: StoredFiles = {
      get: async (id) =>
        id === "file_1"
          ? {
              ref: {
                id,
                name: "s.txt",
                mediaType: "text/plain",
                kind: "text",
                bytes: 6,
                sha256: "aa",
                createdAt: "2026-01-01T00:00:00.000Z",
              },
              open: async () => new Response("Stored").body ?? new ReadableStream(),
            }
          : undefined,
    };
    const { told, record } = await run({ s: "file_1" }, { storedFiles: stored });
    expect(told).toContain('<file name=\\"s.txt\\">\\nStored');
    expect(record).toContain('"at":{"id":"file_1"}');
    await expect(
      run({ s: "file_2" }, { storedFiles: stored, files: new InMemoryFileStore() }),
    ).rejects.toMatchObject({
      code: "not_found",
      message: 'inputFiles.s: no file is stored at "file_2"',
    });
  });

  it("RFS3: behind URLs loaded by this run alone are stored in its workspace", async () => {
    const files = new InMemoryFileStore();
    let loads = 0;
    const fetch = async () => {
      loads++;
      return new Response("a,b", { headers: { "content-type": "text/csv; charset=utf-8" } });
    };
    const { told, record } = await run(
      { table: "https://example.com/data?x=1" },
      { files, network: { fetch } },
    );
    expect(loads).toBe(1);
    expect(told).toContain("a,b");
    expect(record).toContain('"mediaType":"text/csv"');
    expect(files.paths).toEqual([expect.stringMatching(/^runs\/.*\/inputs\/[0-9a-f]{16}\/data$/)]);
  });

  it("RFS4: at addresses of private networks are refused", async () => {
    const fetch = async () =>
      new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest" } });
    await expect(
      run({ a: "https://example.com/a.txt" }, { network: { fetch } }),
    ).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^inputFiles\.a: .*redirects to an address that must not be/),
    });
  });

  it("above the size limit are refused while they arrive", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent++;
        controller.enqueue(new Uint8Array(8 * 1024 * 1024));
      },
    });
    await expect(run({ a: endless })).rejects.toMatchObject({ code: "payload_too_large" });
    expect(sent).toBeLessThan(20);
  });

  it("with an unknown kind of bytes have the declared kind", async () => {
    const { record } = await run({
      a: file(new Uint8Array([0, 1, 2, 3]), { kind: "video", name: "a.raw" }),
      b: file(pngBytes(1, 1), { kind: "video" }),
    });
    expect(record).toMatch(/"name":"a\.raw".*?"kind":"video"/);
    expect(record).toMatch(/"name":"file\.png".*?"kind":"image"/);
  });
});
