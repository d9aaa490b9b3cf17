import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { badResponse } from "../base/service-failure.ts";
import { CONTEXTUAL, CONTEXTUAL_TOOL, SERVICE } from "./contextual.ts";

const answer = () =>
  z.looseObject({
    message: z.looseObject({ content: z.string() }),
    retrieval_contents: z
      .array(z.looseObject({ doc_name: z.string(), page: z.number().nullish() }))
      .nullish(),
  });

const documents = () =>
  z.looseObject({ documents: z.array(z.looseObject({ status: z.string() })) });

/** Answers from the documents of an agent of Contextual AI. */
export const contextualQuery = catalogTool({
  ...CONTEXTUAL_TOOL,
  className: "ContextualAIQueryTool",
  displayName: "Contextual AI Query Tool",
  effectClass: "R",
  description: "Asks an agent of Contextual AI, which answers from its documents.",
  input: () =>
    z.object({
      query: z.string().describe("The question"),
      agent_id: z.string().min(1),
      datastore_id: z.string().optional().describe("Waits until its documents are ready"),
    }),
  options: () => z.object({}),
  fixable: ["agent_id", "datastore_id"],
  timeoutMs: 120_000,
  run: async ({ query, agent_id: agent, datastore_id: datastore }, _, io) => {
    if (datastore !== undefined)
      await io.poll<true>({
        start: async () => datastore,
        check: async (id) => {
          const url = `${CONTEXTUAL}/datastores/${encodeURIComponent(id)}/documents`;
          const { data } = documents().safeParse((await io.send({ url })).body);
          if (data === undefined) throw badResponse(SERVICE);
          const isBusy = data.documents.some(({ status }) =>
            ["processing", "pending"].includes(status),
          );
          return isBusy ? "running" : { done: true };
        },
      });
    const { body } = await io.send({
      method: "POST",
      url: `${CONTEXTUAL}/agents/${encodeURIComponent(agent)}/query`,
      body: { messages: [{ role: "user", content: query }] },
    });
    const { data } = answer().safeParse(body);
    if (data === undefined) throw badResponse(SERVICE);
    const found = (data.retrieval_contents ?? []).map(({ doc_name: url, page }) => ({
      url,
      title: page ? `${url}, page ${page}` : url,
    }));
    return toolResult({ text: data.message.content, data: body, sources: sourcesOf(found) });
  },
});
