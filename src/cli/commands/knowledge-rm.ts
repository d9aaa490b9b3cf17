import type { DocumentView, EdgecrewClient } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { everyPage } from "../every-page.ts";

/** `edgecrew knowledge rm`: deletes a collection, or one of its documents. */
export const knowledgeRm = command({
  name: "knowledge rm",
  serves: true,
  about: "delete a collection, or one of its documents",
  args: "<collection> [document]",
  example: "edgecrew knowledge rm handbook warranty.md",
  options: {},
  run: async (context, { args: [collection = "", named] }) => {
    const client = await context.client();
    const { out } = context;
    if (named === undefined) {
      const documents = await documentsOf(client, collection);
      const what = counted(documents.length, "document");
      await confirm(context, `delete the collection ${collection} with ${what}`);
      await client.knowledge.delete(collection);
      return out.result({ deleted: documents.length }, () => `${what} deleted`);
    }
    const found = await documentOf(client, collection, named);
    await confirm(context, `delete 1 document, ${found.name}`);
    await client.knowledge.deleteDocument(collection, found.id);
    out.result({ deleted: 1 }, () => `${found.name} deleted`);
  },
});

const documentsOf = (
  client: EdgecrewClient,
  collection: string,
): Promise<readonly DocumentView[]> =>
  everyPage((page) => client.knowledge.documents(collection, page));

/** Finds a document by id or name. Throws exit code 2 if it does not exist. */
async function documentOf(
  client: EdgecrewClient,
  collection: string,
  named: string,
): Promise<DocumentView> {
  const all = await documentsOf(client, collection);
  const found = all.find(({ id, name }) => id === named || name === named);
  if (found !== undefined) return found;
  throw wrongUse(
    `there is no document ${JSON.stringify(named)} in ${collection}`,
    `edgecrew knowledge ls ${collection}`,
  );
}
