import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse, isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { ToolRequest } from "../base/request.ts";
import { CONTEXTUAL, CONTEXTUAL_TOOL, formWith, SERVICE } from "./contextual.ts";

/** Creates an agent of Contextual AI with a datastore of documents. */
export const contextualCreateAgent = catalogTool({
  ...CONTEXTUAL_TOOL,
  className: "ContextualAICreateAgentTool",
  displayName: "Contextual AI Create Agent Tool",
  effectClass: "X",
  // Each part is a separate step, which no crash repeats.
  effect: "idempotent",
  description: "Makes an agent of Contextual AI that answers from documents of the workspace.",
  input: () =>
    z.object({
      agent_name: z.string().min(1),
      agent_description: z.string().min(1),
      datastore_name: z.string().min(1),
      document_paths: z.array(z.string().min(1)).min(1).max(100).describe("Paths in the workspace"),
    }),
  options: () => z.object({}),
  timeoutMs: 120_000,
  run: async ({ agent_name: name, agent_description: description, ...rest }, _, io) => {
    const { datastore_name: store, document_paths: paths } = rest;
    const datastore = await made(io, "datastore", () => ({
      url: `${CONTEXTUAL}/datastores`,
      body: { name: store },
    }));
    const documents: string[] = [];
    for (const [index, path] of paths.entries())
      documents.push(
        await made(io, `document:${index}`, async () => ({
          url: `${CONTEXTUAL}/datastores/${datastore}/documents`,
          body: await formWith(io, { field: "file", path }),
        })),
      );
    const agent = await made(io, "agent", () => ({
      url: `${CONTEXTUAL}/agents`,
      body: { name, description, datastore_ids: [datastore] },
    }));
    return toolResult({
      text: `The agent ${name} has the id ${agent}, and its datastore the id ${datastore}, with ${documents.length} documents.`,
      data: { agent_id: agent, datastore_id: datastore, document_ids: documents },
    });
  },
});

/** Returns the id of a created object. The request is made only once. */
function made(
  io: ToolIo,
  step: string,
  request: () => ToolRequest | Promise<ToolRequest>,
): Promise<string> {
  const send = async (): Promise<string> => {
    const { body } = await io.send({ method: "POST", ...(await request()) });
    const { data } = z.looseObject({ id: z.string() }).safeParse(body);
    if (data === undefined) throw badResponse(SERVICE);
    return data.id;
  };
  // After any response the object may exist, so the request is not repeated.
  return io.context.step(step, send, { effect: "once" }).catch((error: unknown) => {
    if (!isServiceFailure(error)) throw error;
    throw serviceFailure({ code: error.failureCode ?? "failed", message: error.message });
  });
}
