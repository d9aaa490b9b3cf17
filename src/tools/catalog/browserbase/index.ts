export { browserbaseLoad } from "./browserbase-load.ts";
