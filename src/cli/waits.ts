// Finds, shows and answers waits of runs.
import type { EdgecrewClient, Wait, WaitSummary } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";
import { questionsOf } from "./ask.ts";
import { plain, type Column } from "./output.ts";
import { age } from "./times.ts";

/** Returns all open waits for people, the oldest first. */
export async function openWaits(client: EdgecrewClient): Promise<readonly WaitSummary[]> {
  const all: WaitSummary[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.runs.waits({
      limit: 100,
      ...(cursor === undefined ? undefined : { cursor }),
    });
    all.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return all.filter((wait) => questionsOf([wait]).length > 0);
  }
}

export function waitColumns(nowMs: number): readonly Column<WaitSummary>[] {
  return [
    { title: "RUN", of: ({ run }) => run.id },
    { title: "NAME", of: ({ run }) => `${run.kind} ${run.name}` },
    { title: "AGE", of: ({ openedAt }) => age(openedAt, nowMs) },
    { title: "KEY", of: ({ key }) => key, isWhole: true },
    { title: "QUESTION", of: ({ prompt, kind }) => prompt ?? kind },
  ];
}

/** Returns the chosen wait of a run. Throws exit code 2 if there is none, and for several without a key. */
export async function waitOf(
  client: EdgecrewClient,
  { id, key }: { readonly id: string; readonly key: string | undefined },
): Promise<Wait> {
  const open = questionsOf((await client.runs.get(id)).waits);
  const keys = open.map((each) => each.key);
  const found = key === undefined ? open : open.filter((each) => each.key === key);
  const [wait] = found;
  if (wait !== undefined && found.length === 1) return wait;
  if (open.length === 0)
    throw wrongUse(`run ${id} has no open question`, `edgecrew runs show ${id}`);
  throw wrongUse(
    key === undefined
      ? `run ${id} waits for ${open.length} answers; name one: ${keys.join(", ")}`
      : `run ${id} has no open wait ${key}; there are: ${keys.join(", ")}`,
    `edgecrew waits show ${id}`,
  );
}

/** Describes a wait for a person. */
export function waitLines(wait: Wait): readonly string[] {
  const { key, prompt, subject, data, choices, schema, expiresAt } = wait;
  return [
    `key      ${key}`,
    `asks     ${plain(prompt ?? wait.kind)}`,
    ...(choices === undefined ? [] : [`choices  ${choices.map(plain).join(", ")}`]),
    ...(expiresAt === undefined ? [] : [`until    ${expiresAt}`]),
    ...(schema === undefined ? [] : ["schema", ...block(JSON.stringify(schema, null, 2))]),
    ...(data === undefined ? [] : ["data", ...block(JSON.stringify(data, null, 2))]),
    ...(subject === undefined ? [] : ["about", ...block(subject)]),
  ];
}

function block(text: string): readonly string[] {
  return text.split("\n").map((line) => `  ${plain(line)}`);
}
