import { braveInput } from "./brave-input.ts";
import { braveTool } from "./brave-tool.ts";

/** Descriptions of places, written by Brave Search. */
export const braveLocalPoisDescription = braveTool({
  className: "BraveLocalPOIsDescriptionTool",
  displayName: "Brave Local POI Descriptions",
  description: "Describes places that a Brave search has found.",
  path: "local/descriptions",
  input: () => braveInput("ids", []),
  result: ({ results = [] }) => {
    const data = results.map(({ id, description }) => ({ id: String(id), description }));
    return {
      found: data.map(({ id, description }) => ({ title: id, snippet: description ?? "" })),
      data,
    };
  },
});
