export { hyperbrowserLoad } from "./hyperbrowser-load.ts";
