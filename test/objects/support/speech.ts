// A model that says what a test lets it say, word by word.
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

type Speech = { readonly words: string[]; said: string; over: boolean };

const speeches = new Map<string, Speech>();

function speechOf(runId: string): Speech {
  const speech = speeches.get(runId) ?? { words: [], said: "", over: false };
  speeches.set(runId, speech);
  return speech;
}

/** Has the model of a run say one more word; undefined ends its answer. */
export function letSpeak(runId: string, word: string | undefined): void {
  const speech = speechOf(runId);
  if (word === undefined) speech.over = true;
  else speech.words.push(word);
}

/** What the model of a run has said so far. */
export function spoken(runId: string): string {
  return speechOf(runId).said;
}

export function speaks(): LanguageModel {
  const model = scriptedModel([]);
  return {
    ...model,
    generate: async (request, options) => {
      const speech = speechOf((options.idempotencyKey ?? "").split(":")[0] ?? "");
      speech.said = "";
      while (!speech.over || speech.words.length > 0) {
        const word = speech.words.shift();
        if (word === undefined) await new Promise<void>((resolve) => setTimeout(resolve, 5));
        else {
          speech.said += word;
          options.onDelta?.(word);
        }
      }
      return scriptedModel([speech.said]).generate(request, { signal: options.signal });
    },
  };
}
