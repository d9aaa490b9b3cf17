export { waitTool } from "./wait.ts";
