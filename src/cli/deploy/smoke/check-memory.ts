import { askWorker, detailOf, failed, until, USUAL_TRIES, type Check } from "./ask-worker.ts";

const MEMORY_SCOPE = "/edgecrew-smoke";

/** Saves, finds and forgets one memory, if the Worker has memory. */
export const checkMemory: Check = async (test) => {
  if (test.key === undefined && !test.isOpen) return "no key";
  const content = "The smoke test of this deployment saved this sentence.";
  const body = { content, scope: MEMORY_SCOPE, categories: ["smoke"], importance: 0.5 };
  const saved = await askWorker(test, "/memory", { method: "POST", body });
  if (saved.status === 404) return "this Worker has no memory";
  if (saved.status >= 300) throw failed(`POST /memory: got ${saved.status} ${detailOf(saved)}`);
  try {
    const query = { query: "smoke test sentence", scope: MEMORY_SCOPE, limit: 1, depth: "shallow" };
    const fault = await until(test, USUAL_TRIES, async () => {
      const found = await askWorker(test, "/memory/recall", { method: "POST", body: query });
      if (found.status !== 200)
        return `POST /memory/recall: got ${found.status} ${detailOf(found)}`;
      return found.text.includes(content) ? undefined : "a memory that was saved is not found";
    });
    if (fault !== undefined) throw failed(fault);
  } finally {
    const forget = { method: "POST", body: { scope: MEMORY_SCOPE } };
    await askWorker(test, "/memory/forget", forget).catch(() => undefined);
  }
  return undefined;
};
