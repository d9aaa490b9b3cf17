export { openapiTools, type ApiAuth, type OpenapiToolsOptions } from "./openapi-tools.ts";
