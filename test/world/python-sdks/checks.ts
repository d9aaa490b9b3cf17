// Checks as the Python programs print them: one line of JSON each.

/** Programs under `calls/`, each with the SDK that it uses. */
export const SDKS = [
  "openai",
  "openai_agents",
  "pydantic_ai",
  "langchain",
  "litellm",
  "mcp",
  "ag_ui",
] as const;

export type Check = {
  /** Environment, SDK and name. */
  readonly id: string;
  readonly ok: boolean;
  /** Reason of a check that does not hold. */
  readonly said: string;
};

/** Reads the lines that begin with `CHECK`; libraries print others beside them. */
export function readChecks(output: string, by: string): readonly Check[] {
  return Array.from(output.matchAll(/^CHECK (\{.*\})$/gm), ([, json = "{}"]) => {
    const { name, ok, said } = JSON.parse(json) as Omit<Check, "id"> & { readonly name: string };
    return { id: `${by} ${name}`, ok, said };
  });
}
