export { bedrockInvokeAgent } from "./bedrock-invoke-agent.ts";
export { bedrockKbRetriever } from "./bedrock-kb-retriever.ts";
export { s3Reader } from "./s3-reader.ts";
export { s3Writer } from "./s3-writer.ts";
