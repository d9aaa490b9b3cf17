export { spider } from "./spider.ts";
