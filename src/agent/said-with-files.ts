// Files of an agent's run on its own: they accompany the last message.
import { workerModel } from "./worker-model.ts";
import type { RunScope } from "../events/run-scope.ts";
import { fileParts } from "../files/file-parts.ts";
import { resolveFiles } from "../files/resolve-files.ts";
import { namedSources, type FileSources } from "../files/started-files.ts";
import { agentModel } from "../hooks/scripted-agents.ts";
import type { ContentPart } from "../llm/language-model.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentMessage } from "./agent-messages.ts";
import type { AgentIdentity } from "./agent-work.ts";
import type { AgentDescription } from "./description/agent-description.ts";
import { fileListTexts } from "./prompts/file-list-texts.ts";
import { mergePrompts } from "./prompts/prompts.ts";

export type SaidWithFiles = {
  readonly said: readonly AgentMessage[];
  /** Tools to read the files not sent to the model. */
  readonly tools: readonly Tool[];
};

/** The messages with the files at the last one, which are found in a step at `scope`. */
export async function saidWithFiles(
  scope: RunScope,
  agent: AgentDescription,
  {
    said,
    sources,
    identity,
  }: {
    readonly said: readonly AgentMessage[];
    readonly sources: FileSources;
    readonly identity: AgentIdentity;
  },
): Promise<SaidWithFiles> {
  const files = await resolveFiles(scope.at("files"), namedSources(sources));
  const last = said.at(-1);
  if (files.length === 0 || last === undefined) return { said, tools: [] };
  const { fileLists } = await scope.load(() => import("../files/file-lists.ts"));
  const { readFileTool } = await scope.load(() => import("../tools/builtin/read-file.ts"));
  const model = agentModel(scope, [identity.role, agent.role], workerModel(scope, agent.llm));
  const lists = fileLists(files, model, scope.services);
  const texts = fileListTexts(mergePrompts(agent.prompts), lists).map((text): ContentPart => ({
    type: "text",
    text,
  }));
  const { content } = last;
  const own: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const asked = { role: "user", content: [...own, ...texts, ...fileParts(files)] } as const;
  return { said: [...said.slice(0, -1), asked], tools: [readFileTool(files)] };
}
