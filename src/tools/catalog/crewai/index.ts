export { crewaiPlatformTools } from "./crewai-platform-tools.ts";
export { enterpriseAction } from "./enterprise-action.ts";
export { generateCrewaiAutomation } from "./generate-crewai-automation.ts";
export { invokeCrewaiAutomation } from "./invoke-crewai-automation.ts";
