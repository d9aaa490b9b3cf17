export { serperDev } from "./serper-dev.ts";
