import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { nearestOf } from "../../base/nearest.ts";
import { needProject } from "../project.ts";
import type { AddedTarget } from "./new-files.ts";

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Finds the crew that a schedule or a webhook starts, and the open placeholders of its texts. Throws exit code 2. */
export async function addedTarget(
  context: CliContext,
  named: string | undefined,
): Promise<AddedTarget> {
  const { readDefinitionFiles } = await import("../../build/build-definitions.ts");
  const { crews } = readDefinitionFiles(needProject(context).folder);
  const names = Object.keys(crews);
  const crew = named ?? (names.length === 1 ? names[0] : await chosen(context, names));
  const texts = crew !== undefined && Object.hasOwn(crews, crew) ? crews[crew] : undefined;
  if (crew === undefined || texts === undefined) {
    const near = nearestOf(crew ?? "", names);
    throw wrongUse(
      `crews/ has no crew ${JSON.stringify(crew)}; it has: ${names.join(", ") || "none"}`,
      near === undefined ? "edgecrew add crew <name>" : `--crew ${near}`,
    );
  }
  const inputs = Object.values(texts).flatMap((text) =>
    Array.from(text.matchAll(PLACEHOLDER), ([, name = ""]) => name),
  );
  return { crew, inputs: [...new Set(inputs)] };
}

async function chosen(
  { prompt }: CliContext,
  names: readonly string[],
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  if (prompt !== undefined)
    return prompt.choose(
      { message: "Crew to start?" },
      names.map((value) => ({ value })),
    );
  throw wrongUse(`say which crew is to start: ${names.join(", ")}`, `--crew ${names[0] ?? ""}`);
}
