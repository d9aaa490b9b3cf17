// Files on their way to providers: crews with the real SDKs against a server that speaks the wire forms and keeps uploads.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Agent } from "../../src/agent/description/agent.ts";
import { toBase64 } from "../../src/base/bytes.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { file, type InputFiles } from "../../src/files/file-source.ts";
import { InMemoryUploadCache } from "../../src/files/in-memory-upload-cache.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { ModelSettings } from "../../src/llm/model-settings.ts";
import type { LocalRun } from "../../src/runtime/handle/local-run.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { jpegBytes, mp3Bytes, mp4Bytes, pdfBytes, pngBytes } from "../support/sample-files.ts";

const MEBI = 1024 * 1024;

let server: ModelServer;
beforeAll(async () => void (server = await startModelServer({ reply: () => "seen" })));
afterAll(() => server.stop());
beforeEach(() => {
  (server.calls as unknown[]).length = 0;
  server.files.uploads.length = 0;
  server.files.failures.length = 0;
  server.files.failed = 0;
});

const SETTINGS = {
  anthropic: { model: "anthropic/claude-haiku-4-5" },
  "openai chat": { model: "openai/gpt-4.1-mini" },
  "openai responses": { model: "openai/gpt-4.1-mini", api: "responses" },
} as const satisfies Record<string, ModelSettings>;
type Provider = keyof typeof SETTINGS;

/** What a crew of one task is started with. */
type Kickoff = {
  readonly settings?: Partial<ModelSettings>;
  readonly services?: RunServices;
  readonly key?: string;
};

/** Has a crew of one task look at files, and answers what its model was sent. */
async function kickoff(
  provider: Provider | JsonObject,
  inputFiles: InputFiles,
  options: Kickoff = {},
) {
  const { settings, services = {}, key = "k" } = options;
  const base = typeof provider === "string" ? SETTINGS[provider] : provider;
  const agent = new Agent({
    role: "Looker",
    goal: "Look",
    backstory: "b",
    maxRetryLimit: 0,
    llm: { ...base, ...settings } as ModelSettings,
  });
  const task = new Task({ description: "Look at it", expectedOutput: "What it shows", agent });
  const run = new Crew({ tasks: [task] }).start({
    inputFiles,
    services: { network: { fetch: pages }, ...services },
    models: modelCatalog({
      variables: {
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: server.url,
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `${server.url}/v1`,
        GEMINI_API_KEY: key,
        GEMINI_BASE_URL: `${server.url}/v1beta`,
        GROQ_API_KEY: key,
        GROQ_BASE_URL: `${server.url}/v1`,
        BEDROCK_BASE_URL: server.url,
        AWS_BEARER_TOKEN_BEDROCK: key,
      },
    }),
  });
  const { raw } = await run.output();
  expect(raw).toBe("seen");
  const kept: unknown[] = [];
  for await (const event of run.events()) kept.push(event);
  return {
    run,
    events: JSON.stringify(kept),
    record: JSON.stringify(await (run as unknown as LocalRun).export()),
  };
}

/** The pages of the web that URLs of these tests lead to. */
const loaded: string[] = [];
const pages: typeof fetch = async (input) => {
  const url = input instanceof Request ? input.url : String(input);
  loaded.push(url);
  const { pathname } = new URL(url);
  if (pathname.endsWith(".png"))
    return new Response(new Uint8Array(pngBytes(3, 2)), {
      headers: { "content-type": "image/png" },
    });
  if (pathname.endsWith(".pdf")) return new Response(new Uint8Array(pdfBytes(2)));
  return new Response("nothing", { status: 404 });
};
beforeEach(() => void (loaded.length = 0));

/** The parts of the last message that the model was sent. */
function lastParts(): readonly JsonObject[] {
  const content = server.calls.at(-1)?.messages.at(-1)?.content;
  return Array.isArray(content) ? (content as JsonObject[]) : [];
}
const media = () => lastParts().filter(({ type }) => type !== "text" && type !== "input_text");

describe("files of a crew", () => {
  const png = pngBytes(3, 2);
  const pdf = pdfBytes(2);
  it("go to Anthropic as blocks, the last of them at a cache's breakpoint", async () => {
    await kickoff("anthropic", {
      chart: file(png, { name: "chart.png" }),
      report: file(pdf, { name: "../../e vil<>.pdf" }),
    });
    expect(media()).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: toBase64(png) } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: toBase64(pdf) },
        title: ".._.._e vil__.pdf",
        cache_control: { type: "ephemeral" },
      },
    ]);
  });

  it("have names cleaned before they leave the run, and unchanged within it (FT41)", async () => {
    const { record } = await kickoff("openai responses", {
      a: file(pdf, { name: "../../e vil<>.pdf" }),
    });
    expect(media()).toMatchObject([{ type: "input_file", filename: ".._.._e vil__.pdf" }]);
    expect(record).toContain('"name":"../../e vil<>.pdf"');
    expect(record).not.toMatch(/"workspace":"[^"]*\.\.\//);
  });

  it("go to OpenAI's chat completions as parts", async () => {
    await kickoff("openai chat", { a: jpegBytes(3, 2), b: file(pdf, { name: "b.pdf" }) });
    expect(media()).toEqual([
      {
        type: "image_url",
        image_url: { url: `data:image/jpeg;base64,${toBase64(jpegBytes(3, 2))}` },
      },
      {
        type: "file",
        file: { filename: "b.pdf", file_data: `data:application/pdf;base64,${toBase64(pdf)}` },
      },
    ]);
  });

  it("go to OpenAI's Responses as parts", async () => {
    await kickoff("openai responses", { a: png, b: file(pdf, { name: "b.pdf" }) });
    expect(media()).toEqual([
      { type: "input_image", image_url: `data:image/png;base64,${toBase64(png)}`, detail: "auto" },
      {
        type: "input_file",
        filename: "b.pdf",
        file_data: `data:application/pdf;base64,${toBase64(pdf)}`,
      },
    ]);
  });

  it("are known to journal and events by reference alone (FT43, CA18)", async () => {
    const large = pngBytes(100, 100, 5 * MEBI);
    crypto.getRandomValues(large.subarray(64, 64 + 65_536));
    const { events, record } = await kickoff("anthropic", { chart: large });
    const base64 = toBase64(large);
    expect(media()[0]).toMatchObject({ source: { data: base64 } });
    for (const text of [events, record]) {
      expect(text.length).toBeLessThan(100_000);
      expect(text).not.toContain(base64.slice(100, 200));
    }
    expect(record).toContain('"width":100');
  });

  it("are one text for models without vision (FT19, FT20)", async () => {
    const { events } = await kickoff(
      { model: "groq/llama-3.3-70b" },
      { notes: file(new TextEncoder().encode("Tea."), { name: "notes.txt" }), chart: png },
    );
    const content = server.calls[0]?.messages.at(-1)?.content;
    expect(content).toEqual(expect.any(String));
    expect(content).toContain('<file name="notes.txt">\nTea.\n</file>');
    expect(content).toContain("read with the tool read_file:\n- chart (file.png, image/png)");
    expect(events).toContain('"outcome":"listed"');
  });

  it("go to Gemini by its own API when they are video (FT21)", async () => {
    const video = mp4Bytes("isom", 10);
    await kickoff({ model: "gemini/gemini-3-flash" }, { clip: video });
    expect(JSON.stringify(server.calls[0]?.body)).toContain(
      JSON.stringify({ inlineData: { mimeType: "video/mp4", data: toBase64(video) } }),
    );
  });

  it("go to a listening model when they are sound (FT22)", async () => {
    const sound = mp3Bytes(5);
    await kickoff({ model: "openai/gpt-4o-audio-preview" }, { talk: sound });
    expect(media()).toEqual([
      { type: "input_audio", input_audio: { data: toBase64(sound), format: "mp3" } },
    ]);
  });

  it("are transcribed for a model that cannot listen (FT22)", async () => {
    const transcriber = { mediaTypes: ["audio/mpeg"], transcribe: async () => "Good morning." };
    await kickoff(
      "anthropic",
      { talk: file(mp3Bytes(5), { name: "talk.mp3" }) },
      { services: { transcriber } },
    );
    expect(JSON.stringify(lastParts())).toContain('talk.mp3\\">\\nGood morning.');
  });
});

describe("files behind URLs", () => {
  const url = "https://pages.example.com/a.png";

  it("are passed on to providers that load them (FT17)", async () => {
    await kickoff("anthropic", { a: url });
    expect(media()).toMatchObject([{ type: "image", source: { type: "url", url } }]);
    expect(loaded).toEqual([]);
  });

  it("are loaded for other providers (FT17)", async () => {
    await kickoff({ model: "bedrock/us.anthropic.claude-haiku-4-5", vision: true }, { a: url });
    expect(lastParts()).toContainEqual({
      image: { format: "png", source: { bytes: toBase64(pngBytes(3, 2)) } },
    });
    expect(loaded).toEqual([url]);
  });

  it("RFS4: at private addresses are refused before any cost (FT17)", async () => {
    await expect(kickoff("anthropic", { a: "http://10.0.0.1/a.png" })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(
        /^inputFiles\.a: the address must not be an address of a private network/,
      ),
    });
    expect(server.calls).toEqual([]);
  });

  it("with PDFs are loaded for chat completions, and passed on to Responses (FT18)", async () => {
    const report = "https://pages.example.com/b.pdf";
    await kickoff("openai chat", { b: report });
    expect(media()).toMatchObject([
      {
        type: "file",
        file: {
          filename: "b.pdf",
          file_data: expect.stringMatching(/^data:application\/pdf;base64,/),
        },
      },
    ]);
    await kickoff("openai responses", { b: report });
    expect(media()).toEqual([{ type: "input_file", file_url: report }]);
    expect(loaded).toEqual([report]);
  });

  it("RFS2: end the run before any cost when they are missing (FT29)", async () => {
    await expect(
      kickoff("anthropic", { a: "https://pages.example.com/gone.txt" }),
    ).rejects.toMatchObject({
      message: "inputFiles.a: https://pages.example.com/gone.txt answered 404",
    });
    expect(server.calls).toEqual([]);
  });
});

describe("uploads", () => {
  const large = () => file(pdfBytes(2, { padding: 6 * MEBI }), { name: "large.pdf" });

  it("UPF1: go to OpenAI with their purpose and their end, and are named by id (FT12)", async () => {
    await kickoff("openai responses", { a: large() });
    expect(server.files.uploads).toMatchObject([
      {
        name: "large.pdf",
        mediaType: "application/pdf",
        fields: {
          purpose: "user_data",
          "expires_after[anchor]": "created_at",
          "expires_after[seconds]": "86400",
        },
      },
    ]);
    const { bytes = new Uint8Array() } = server.files.uploads[0] ?? {};
    expect(Buffer.compare(bytes, pdfBytes(2, { padding: 6 * MEBI }))).toBe(0);
    expect(media()).toEqual([{ type: "input_file", file_id: "file-1" }]);
    await kickoff("openai responses", { b: pngBytes(5, 5, 6 * MEBI) });
    expect(server.files.uploads[1]?.fields).toMatchObject({ purpose: "vision" });
    expect(media()).toEqual([{ type: "input_image", file_id: "file-2", detail: "auto" }]);
  });

  it("UPF1: go to Anthropic with their end, and are named by id (FT8)", async () => {
    const { events } = await kickoff("anthropic", { a: pngBytes(5, 5, 5_242_881) });
    expect(server.files.uploads).toMatchObject([
      { dialect: "anthropic", fields: { expires_in_seconds: "86400" } },
    ]);
    expect(media()).toMatchObject([{ type: "image", source: { type: "file", file_id: "file-1" } }]);
    expect(events).toContain(
      '"limit":"5242880 bytes","actual":"5242881 bytes","outcome":"uploaded"',
    );
  });

  it("of small files are made when the model's settings prefer them", async () => {
    await kickoff(
      "openai chat",
      { a: file(pdfBytes(1), { name: "a.pdf" }) },
      { settings: { preferUpload: true } },
    );
    expect(media()).toEqual([{ type: "file", file: { file_id: "file-1" } }]);
  });

  it("UPF3: are tried once when they fail for good, and the file is sent inline (FT13)", async () => {
    server.files.failures.push({ status: 400, message: "no" });
    await kickoff("openai responses", { a: large() });
    expect(server.files.failed).toBe(1);
    expect(media()).toMatchObject([{ type: "input_file", filename: "large.pdf" }]);
  });

  it("UPF3: are tried three times after temporary failures, and then the file is sent inline (FT13)", async () => {
    server.files.failures.push(
      ...Array.from({ length: 3 }, () => ({ status: 500, message: "later" })),
    );
    await kickoff("openai responses", { a: large() });
    expect(server.files.failed).toBe(3);
    expect(media()).toMatchObject([{ type: "input_file", filename: "large.pdf" }]);
  }, 20_000);

  it("UPF2: are made once for the same file and account, and again for another (FT14)", async () => {
    const services = { uploads: new InMemoryUploadCache() };
    await kickoff("openai responses", { a: large() }, { services });
    await kickoff("openai responses", { b: large() }, { services });
    expect(server.files.uploads).toHaveLength(1);
    expect(media()).toEqual([{ type: "input_file", file_id: "file-1" }]);
    await kickoff("openai responses", { a: large() }, { services, key: "other" });
    expect(server.files.uploads).toHaveLength(2);
  });

  it.each(["openai responses", "anthropic"] as const)(
    "lost by %s are made again, and the call with them (FT15)",
    async (provider) => {
      const services = { uploads: new InMemoryUploadCache() };
      await kickoff(provider, { a: large() }, { services });
      server.files.forget();
      await kickoff(provider, { a: large() }, { services });
      expect(server.files.uploads).toHaveLength(2);
      expect(server.calls).toHaveLength(3);
      await kickoff(provider, { a: large() }, { services });
      expect(server.files.uploads).toHaveLength(2);
      server.files.forget();
      const lost = {
        get: async () => ({ fileId: "file-0", model: "m", expiresAtMs: Infinity }),
        put: async () => {},
        delete: async () => {},
        ofFile: async () => [],
      };
      await kickoff(provider, { a: large() }, { services: { uploads: lost } });
      expect(server.calls).toHaveLength(6);
    },
  );

  it("FPL6: are made of the largest files when all together are too large (FT24)", async () => {
    const images = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `image${index}`,
        pngBytes(10, 10, 4 * MEBI - index),
      ]),
    );
    await kickoff("anthropic", images);
    expect(server.files.uploads).toHaveLength(5);
    const body = JSON.stringify(server.calls.at(-1)?.body).length;
    expect(body).toBeLessThan(33_554_432);
    expect(body).toBeGreaterThan(25 * MEBI);
  }, 60_000);
});
