/** Classes of CrewAI's catalogue that cannot work in a Worker, with the reasons and their replacements. */
export const UNAVAILABLE: Readonly<
  Record<string, { readonly why: string; readonly instead: string }>
> = {
  MultiOnTool: {
    why: "its service has ended",
    instead: "Use StagehandTool, or a browser by MCP",
  },
  AIMindTool: {
    why: "it needs a vendor's client that reaches your databases from this process",
    instead: "Use NL2SQLTool, or MindsDB by MCP",
  },
  MongoDBVectorSearchTool: {
    why: "its driver needs pools of raw TLS connections, which Workers do not keep",
    instead: "Use knowledge, QdrantVectorSearchTool, or MongoDB's MCP server",
  },
  CouchbaseFTSVectorSearchTool: {
    why: "it takes a live cluster object",
    instead: "Use knowledge, or toolFrom() with an HTTP call",
  },
  DB2VectorSearchTool: {
    why: "it needs a native driver",
    instead: "Use knowledge, or toolFrom() with an HTTP call",
  },
  LlamaIndexTool: {
    why: "it wraps an object of another library",
    instead: "Use convertTool(object) of edgecrew/interop in code",
  },
  GoogleMapsTool: {
    why: "only Gemini's own API runs it",
    instead: "Use SerpApiGoogleSearchTool, or a map service by MCP",
  },
  XSearchTool: {
    why: "only xAI's own API runs it",
    instead: "Use WebSearchTool, or X by MCP",
  },
  MemoryTool: {
    why: "memory is a field of agents and crews here",
    instead: "Set memory: true",
  },
  SkillsTool: {
    why: "skills are a field of agents and crews here",
    instead: "List them in skills",
  },
  MCPServerStdio: {
    why: "Workers start no processes",
    instead: "Use a remote MCP server, or a container",
  },
};
