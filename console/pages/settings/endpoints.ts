// Addresses of a Worker, by the parts of its app.

export type Endpoint = { readonly label: string; readonly path: string };

const ALWAYS: readonly Endpoint[] = [
  { label: "HTTP API", path: "" },
  { label: "OpenAPI description", path: "/openapi.json" },
  { label: "API documentation", path: "/docs" },
];
const BY_PART: Readonly<Record<string, readonly Endpoint[]>> = {
  a2a: [{ label: "A2A agent card", path: "/.well-known/agent-card.json" }],
  mcp: [{ label: "MCP server", path: "/mcp" }],
  "ag-ui": [{ label: "AG-UI, for a crew or flow by its name", path: "/ag-ui/<name>" }],
  openai: [{ label: "OpenAI base address", path: "/v1" }],
  acp: [{ label: "Agent control plane", path: "/api/acp" }],
};

export function endpointsOf(parts: readonly string[]): readonly Endpoint[] {
  return [...ALWAYS, ...parts.flatMap((part) => BY_PART[part] ?? [])];
}
