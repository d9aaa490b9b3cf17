// Answers of 200 MB, asked for by a process of its own, whose memory is measured.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EndlessResult } from "../../support/endless-client.ts";
import {
  startEndlessServer,
  type EndlessForm,
  type EndlessServer,
  type EndlessWire,
} from "../../support/endless-server.ts";

const CLIENT = fileURLToPath(new URL("../../support/endless-client.ts", import.meta.url));
const MOST_GROWN_BYTES = 20 * 1024 * 1024;

let server: EndlessServer;

beforeAll(async () => {
  server = await startEndlessServer();
});
beforeEach(() => {
  server.asked.length = 0;
});
afterAll(() => server.stop());

/** A small young generation: its slack is no memory of the answer's. */
async function asked(
  wire: EndlessWire,
  forms: readonly EndlessForm[],
): Promise<readonly EndlessResult[]> {
  const flags = ["--expose-gc", "--max-semi-space-size=1"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, CLIENT, server.url, wire, ...forms],
    { timeout: 100_000 },
  );
  return JSON.parse(stdout) as readonly EndlessResult[];
}

const CASES: readonly (readonly [EndlessWire, readonly EndlessForm[]])[] = [
  ["chat", ["whole", "gzip", "tokens", "line", "error"]],
  ["responses", ["whole", "gzip", "tokens", "line", "error"]],
  ["anthropic", ["whole", "gzip", "tokens", "line", "error"]],
  ["embeddings", ["whole", "gzip", "error"]],
];

describe.each(CASES)("200 MB over the wire %s", { timeout: 120_000 }, (wire, forms) => {
  it("ANB1, ANB2, ANB3: are broken off, take less than 20 MB, and are not asked for again", async () => {
    const results = await asked(wire, forms);
    expect(
      results.map(({ form, error, grownBytes }) => ({
        form,
        error,
        isSmall: grownBytes < MOST_GROWN_BYTES,
        requests: server.asked.filter((each) => each === form).length,
      })),
    ).toEqual(
      forms.map((form) => ({
        form,
        error: {
          code: "answer_too_large",
          retryable: false,
          message: expect.stringMatching(/ more than \d+ (?:bytes|characters)/) as string,
        },
        isSmall: true,
        requests: 1,
      })),
    );
  });
});
