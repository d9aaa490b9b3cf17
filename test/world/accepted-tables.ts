// Tables of accepted differences in the documentation: `<!-- rows <name> -->` … `<!-- /rows -->` in a page of docs/.
import type { AcceptedDifference } from "./support/accepted.ts";
import { tableOf } from "./support/accepted.ts";

type Rows = readonly AcceptedDifference<never>[];

/** The rows of each upstream by the name of their table, in the order of the pages. */
export const ACCEPTED: Readonly<Record<string, () => Promise<Rows>>> = {
  "crewai-declared": async () => (await import("./crewai-declared/accepted.ts")).ACCEPTED,
  "crewai-flows": async () => (await import("./crewai-flows/accepted.ts")).ACCEPTED_FLOWS,
  crewai: async () => (await import("./crewai-crews/accepted.ts")).ACCEPTED_CREWS,
  ag2: async () => (await import("./ag2/accepted.ts")).ACCEPTED_CONVERSATIONS,
  "crewai-prompts": async () => (await import("./prompts/accepted.ts")).PROMPTS_OF_CREWS,
  "ag2-prompts": async () => (await import("./prompts/accepted.ts")).PROMPTS_OF_CHATS,
  openapi: async () => (await import("./openapi/accepted.ts")).ACCEPTED_ANSWERS,
  "python-sdks": async () => (await import("./python-sdks/accepted.ts")).ACCEPTED_CHECKS,
  documents: async () => (await import("./documents/accepted.ts")).ACCEPTED_DOCUMENTS,
  "a2a-checks": async () => (await import("./a2a-kit/accepted.ts")).ACCEPTED_CHECKS,
};

const BLOCK = /(<!-- rows (\S+) -->\n)[^]*?(<!-- \/rows -->)/g;

/** The page with its tables as the rows are now. Throws for a table that nobody has. */
export async function fillAccepted(markdown: string): Promise<string> {
  const tables = new Map<string, string>();
  for (const [, , name = ""] of markdown.matchAll(BLOCK)) {
    const load = ACCEPTED[name];
    if (load === undefined) throw new Error(`there are no rows of the name ${name}`);
    tables.set(name, tableOf(await load()));
  }
  return markdown.replaceAll(BLOCK, (...parts) => {
    const [, head, name, tail] = parts as string[];
    return `${head}${tables.get(name ?? "") ?? ""}${tail}`;
  });
}
