import { expect, it } from "vitest";
import { ask } from "../../../src/cli/ask.ts";

type Prompter = Parameters<typeof ask>[0];

it("asks for words in a conversation, and takes none for silence", async () => {
  const asked: string[] = [];
  const prompt = {
    text: async ({ message }: { readonly message: string }) => {
      asked.push(message);
      return "";
    },
  } as unknown as Prompter;
  const wait = { key: "chat/round:2/ana/person", kind: "human", freeText: true, prompt: "Well?" };
  const answer = await ask(prompt, wait as Parameters<typeof ask>[1], new AbortController().signal);
  expect(answer).toEqual({ key: wait.key, feedback: "" });
  expect(asked).toEqual([expect.stringContaining("Well?")]);
});
