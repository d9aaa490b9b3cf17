import { expect, it } from "vitest";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { embedder, type EmbedFunction } from "../../../src/vectors/embedders/custom-embedder.ts";

const RETURNS = "Goods can be sent back within 30 days.";
const QUESTION = "How long can goods be sent back?";

it("offline, finds passages by shared word stems", async () => {
  const others = ["The shop opens at nine.", "Parcels to Norway need a customs declaration."];
  const knowledge = new Knowledge({
    sources: [RETURNS, ...others].map((text, index) => ({ name: `${index}.md`, text })),
    embedder: "offline/hash-embed",
  });
  await knowledge.addSources();
  const [best] = await knowledge.query(QUESTION);
  expect(best?.text).toContain(RETURNS);
  expect(best?.matched).toContain("meaning");
  expect(best?.score).toBeGreaterThan(0.15);
  expect(await knowledge.query("What is the capital of Mongolia?")).toEqual([]);
});

it("takes the embedder's threshold by default", async () => {
  const half: EmbedFunction = (texts) =>
    texts.map((text) => (text === "question" ? [1, 0] : [0.5, Math.sqrt(0.75)]));
  const found = async (similarity: object, config = {}) => {
    const own = embedder({ model: `half-${JSON.stringify(similarity)}`, embed: half, similarity });
    const knowledge = new Knowledge({ sources: [{ name: "a.md", text: "Tide" }], embedder: own });
    await knowledge.addSources();
    return (await knowledge.query("question", config)).length;
  };
  expect(await found({})).toBe(0); // 0.6
  expect(await found({ related: 0.45 })).toBe(1);
  expect(await found({ related: 0.45 }, { scoreThreshold: 0.55 })).toBe(0);
  expect(await found({ related: 0.9 }, { scoreThreshold: 0.4 })).toBe(1);
});
