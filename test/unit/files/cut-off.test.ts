// A run with files whose process is gone after any of its writes goes on in another one, and ends as if nothing had happened.
import { describe, expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { InMemoryUploadCache } from "../../../src/files/in-memory-upload-cache.ts";
import { EngineError } from "../../../src/base/error.ts";
import { toolResult } from "../../../src/tools/tool-result.ts";
import { tool } from "../../../src/tools/tool.ts";
import * as z from "zod";
import { calling, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { cutAfterEveryResult, cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";
import { imagesDouble } from "../../support/images-double.ts";
import { BoundImages } from "../../../src/cloudflare/images-binding.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { pdfBytes, pngBytes } from "../../support/sample-files.ts";

const MEBI = 1024 * 1024;
const large = pdfBytes(2, { padding: 6 * MEBI });

/** A crew whose model has large files uploaded, and what it called outside. */
async function subject(
  files: InMemoryFileStore,
  more: Partial<Subject> = {},
): Promise<Subject & { readonly uploads: string[] }> {
  const uploads: string[] = [];
  const { agent, model } = scriptedAgent(
    ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : calling("snap")),
    {
      tools: [
        tool({
          name: "snap",
          description: "Snaps.",
          input: z.object({}),
          run: () =>
            toolResult({
              text: "Taken.",
              images: [{ path: "shots/none.png", mediaType: "image/png" }],
            }),
        }),
      ],
      modelOptions: {
        id: "openai/gpt-4.1",
        capabilities: { pdf: true },
        files: {
          limits: "openai-responses",
          account: async () => "account",
          upload: async ({ name, bytes }, { idempotencyKey = "" }) => {
            uploads.push(`${name} ${bytes} ${idempotencyKey}`);
            return { fileId: "file-1" };
          },
        },
      },
    },
  );
  return {
    program: new Crew({ tasks: [taskFor(agent, { name: "work" })] }).program(),
    inputs: {
      report: { $file: "large.pdf" },
      notes: { $file: "notes.txt" },
      wide: { $file: "wide.png" },
    },
    services: {
      files,
      uploads: new InMemoryUploadCache(new SimulatedClock()), // time as the runs have it
      imageEditor: new BoundImages(imagesDouble({ bytesPerPixel: 0.001 })),
    },
    get calls() {
      return [...uploads, ...model.calls.map(({ idempotencyKey = "" }) => idempotencyKey)];
    },
    uploads,
    ...more,
  };
}

const stored = async (): Promise<InMemoryFileStore> => {
  const files = new InMemoryFileStore();
  await files.put("large.pdf", large, "application/pdf");
  await files.put("notes.txt", "Tea.", "text/plain");
  await files.put("wide.png", pngBytes(9000, 3000), "image/png");
  return files;
};

describe("a run with files, cut off", () => {
  it("DLV1, UPF2: sends the same, warns of the same and counts the same, at any place", async () => {
    const files = await stored();
    const subjects = await Promise.all(Array.from({ length: 80 }, () => subject(files)));
    const made: Subject[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const next = subjects[made.length];
      if (next === undefined) throw new Error("more subjects are needed");
      made.push(next);
      return next;
    });
    expect(whole.run.status).toBe("completed");
    expect(whole.course.events.join("\n")).toContain("file_warning");
    expect(cut.length).toBeGreaterThan(15);
    for (const [index, each] of cut.entries())
      expect(each.course, `cut off after write ${index + 1}`).toEqual(whole.course);
  }, 120_000);

  it("UPF1: uploads no file twice, also without a cache (FT16)", async () => {
    const files = await stored();
    const subjects = await Promise.all(
      Array.from({ length: 60 }, () => subject(files, { services: { files } })),
    );
    let next = 0;
    const { whole, cut } = await cutAfterEveryResult(() => {
      const each = subjects[next++];
      if (each === undefined) throw new Error("more subjects are needed");
      return each;
    });
    expect(whole.run.status).toBe("completed");
    expect(subjects[0]?.uploads).toHaveLength(1);
    for (const { uploads } of subjects.slice(1, cut.length + 1)) {
      // A process that begins between the two calls of the model does not know of the upload for the first one.
      expect(uploads.length).toBeLessThanOrEqual(2);
      expect(new Set(uploads).size).toBe(uploads.length);
    }
  }, 120_000);
});

it("repeats an upload lost by the provider in the same way in every replay", async () => {
  const files = await stored();
  const make = (): Subject => {
    let lost = true;
    const calls: string[] = [];
    const { agent } = scriptedAgent(
      ({ messages }) => {
        const isLost = lost && JSON.stringify(messages).length > 0;
        lost = false;
        return isLost
          ? { error: new EngineError("model_rejected", "answered 404: File not found: file-1") }
          : "done";
      },
      {
        maxRetryLimit: 0,
        modelOptions: {
          id: "openai/gpt-4.1",
          capabilities: { pdf: true },
          files: {
            limits: "openai-responses",
            upload: async (_, { idempotencyKey = "" }) => {
              calls.push(idempotencyKey.replace(/^[^:]*:/, ""));
              return { fileId: "file-1" };
            },
          },
        },
      },
    );
    return {
      program: new Crew({ tasks: [taskFor(agent, { name: "work" })] }).program(),
      inputs: { report: { $file: "large.pdf" } },
      services: { files },
      calls,
    };
  };
  const { whole, cut } = await cutAfterEveryResult(make);
  expect(whole.calls.map((key) => key.replace(/upload:.*/, ""))).toEqual([
    "task:work/turn:1/files/",
    "task:work/turn:1/anew/files/",
  ]);
  for (const each of cut) expect(each.run.status).toBe("completed");
}, 60_000);
