export { apifyActors } from "./apify-actors.ts";
