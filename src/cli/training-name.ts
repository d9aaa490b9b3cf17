import { basename } from "node:path";
import { wrongUse } from "./cli-failure.ts";

/**
 * Reads the name in CrewAI's file name: `trained_agents_data.pkl` is `trained_agents_data`. Throws exit code 2 for
 * another extension.
 */
export function trainingName(file: string): string {
  const name = basename(file).replace(/\.pkl$/i, "");
  if (name !== "" && name !== basename(file)) return name;
  throw wrongUse(
    `--filename: expected a name that ends in .pkl, got ${JSON.stringify(file)}`,
    "without a file, the name of the training",
  );
}
