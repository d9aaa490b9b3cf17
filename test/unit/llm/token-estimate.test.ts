// Samples are of the Universal Declaration of Human Rights and of this repository, with the counts of five tokenizers.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { estimateTokens, TokenScale } from "../../../src/llm/token-estimate.ts";

type Sample = { readonly text: string; readonly tokens: Readonly<Record<string, number>> };

const samples = JSON.parse(
  readFileSync(new URL("token-samples.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly Sample[]>>;

/** Kinds of text with errors of their own. */
const kinds = JSON.parse(
  readFileSync(new URL("token-kinds.json", import.meta.url), "utf8"),
) as Readonly<Record<string, Sample>>;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Mean of what the tokenizers count of the samples of a script. */
function counted(script: readonly Sample[]): number {
  const all = script.flatMap(({ tokens }) => Object.values(tokens));
  return sum(all) / (all.length / script.length);
}

const estimated = (script: readonly Sample[]): number =>
  sum(script.map(({ text }) => estimateTokens(text)));

describe("tokens of a text are estimated by its script", () => {
  it.each(Object.entries(samples))("%s: at most a quarter off", (_, script) => {
    expect(Math.abs(estimated(script) / counted(script) - 1)).toBeLessThan(0.25);
  });

  it("all together: at most a tenth off, while four characters a token are off by half", () => {
    const all = Object.values(samples).flat();
    const characters = sum(all.map(({ text }) => text.length));
    expect(Math.abs(estimated(all) / counted(all) - 1)).toBeLessThan(0.1);
    expect(characters / 4 / counted(all)).toBeLessThan(0.55);
  });

  it.each(Object.entries(kinds))(
    "%s: at most 15 %% less than the mean of o200k, Qwen 3.6 and DeepSeek V4",
    (_, { text, tokens }) => {
      const counts = Object.values(tokens);
      expect(estimateTokens(text) / (sum(counts) / counts.length)).toBeGreaterThan(0.85);
    },
  );

  it("counts an empty text as 0, and halves of a pair as characters", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("\uD83D")).toBeGreaterThan(0);
  });
});

describe("a scale", () => {
  it.each(["o200k", "llama3", "qwen3", "gemma3", "deepseek_v3"])(
    "approximates the count of %s for a script, after two requests",
    (tokenizer) => {
      const off = Object.values(samples)
        .filter((script) => estimated(script) > 100)
        .map((script) => {
          const actual = sum(script.map(({ tokens }) => tokens[tokenizer] ?? 0));
          const scale = new TokenScale();
          for (let time = 0; time < 4; time++) scale.learn(estimated(script), actual);
          return Math.abs(scale.of(estimated(script)) / actual - 1);
        });
      expect(Math.max(...off)).toBeLessThan(0.2);
    },
  );

  it("ignores short requests and impossible counts", () => {
    const scale = new TokenScale();
    scale.learn(10, 60);
    scale.learn(1_000, 0);
    scale.learn(1_000, 100_000);
    expect(scale.of(1_000)).toBe(1_000);
  });
});
