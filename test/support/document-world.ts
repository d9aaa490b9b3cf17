// Calls of tools that search documents: files in the workspace of the run, and knowledge that outlives the run.
import type { JsonObject } from "../../src/base/json.ts";
import { InMemoryFileStore } from "../../src/files/in-memory-file-store.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { KnowledgeService } from "../../src/knowledge/knowledge-service.ts";
import { DOCUMENT_READERS } from "../../src/knowledge/readers/document-readers.ts";
import { knowledgeService, lastingStore, type CountingEmbedder } from "./knowledge-world.ts";
import { callOf, toolSubject, type ToolCallOptions, type ToolCallWorld } from "./tool-world.ts";

export type FilesByPath = Readonly<Record<string, string | Uint8Array>>;

export type DocumentWorld = {
  readonly knowledge: KnowledgeService & { readonly embedder: CountingEmbedder };
  /** The tool's call in a run of its own, with these files in its workspace. */
  readonly ask: (tool: Tool, input: JsonObject, files?: FilesByPath) => Promise<ToolCallWorld>;
};

/** The store of a run whose workspace has these files. */
export async function workspaceWith(
  files: FilesByPath,
  runId = "run-1",
): Promise<InMemoryFileStore> {
  const store = new InMemoryFileStore();
  for (const [path, content] of Object.entries(files))
    await store.put(`runs/${runId}/${path}`, content, "application/octet-stream");
  return store;
}

/** With readers that are loaded beforehand: the clock of tests does not wait for modules. */
function lastingKnowledge(): DocumentWorld["knowledge"] {
  const service = knowledgeService({ store: lastingStore() });
  return Object.assign(service, { readers: [...service.readers, ...DOCUMENT_READERS] });
}

/** Several runs of one deployment that keeps knowledge. */
export function documentWorld(options: ToolCallOptions = {}): DocumentWorld {
  const knowledge = lastingKnowledge();
  return {
    knowledge,
    ask: async (tool, input, files = {}) => {
      const services = { knowledge, files: await workspaceWith(files), ...options.services };
      return callOf(tool, input, { ...options, services });
    },
  };
}

/** A call as it is cut off: with knowledge and files that outlive the process. */
export function documentSubject(
  tool: Tool,
  input: JsonObject,
  { files, ...options }: ToolCallOptions & { readonly files: InMemoryFileStore },
): ReturnType<typeof toolSubject> & { readonly knowledge: DocumentWorld["knowledge"] } {
  const knowledge = lastingKnowledge();
  const subject = toolSubject(tool, input, {
    ...options,
    services: { knowledge, files, ...options.services },
  });
  return { ...subject, knowledge };
}
