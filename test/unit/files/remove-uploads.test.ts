import { expect, it } from "vitest";
import { InMemoryUploadCache } from "../../../src/files/in-memory-upload-cache.ts";
import { removeUploads } from "../../../src/files/remove-uploads.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

it("a file is removed from the providers with accounts of ours, and from the cache of all", async () => {
  const removed: string[] = [];
  const modelOf = (account: string) =>
    scriptedModel([], {
      files: {
        limits: "openai",
        account: async () => account,
        remove: async (fileId) => {
          removed.push(fileId);
          if (fileId === "file-3") throw new Error("the provider does not answer");
        },
      },
    });
  const uploads = new InMemoryUploadCache();
  const put = (
    [provider, account]: readonly [string, string],
    fileId: string,
    sha256 = "aa",
  ): Promise<unknown> =>
    uploads.put({ provider, account, sha256 }, { fileId, model: provider, expiresAtMs: Infinity });
  await put(["openai", "ours"], "file-1");
  await put(["gemini", "another"], "file-2");
  await put(["anthropic", "ours"], "file-3");
  await put(["gone", "ours"], "file-4");
  await put(["openai", "ours"], "file-5", "bb");
  await removeUploads("aa", {
    uploads,
    models: (spec) => {
      if (spec === "gone") throw new Error("there is no such model");
      return modelOf("ours");
    },
  });
  expect(removed).toEqual(["file-1", "file-3"]);
  expect(await uploads.ofFile("aa")).toEqual([]);
  expect(await uploads.ofFile("bb")).toHaveLength(1);
});
