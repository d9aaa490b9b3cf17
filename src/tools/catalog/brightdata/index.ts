export { brightDataDataset } from "./brightdata-dataset.ts";
export { brightDataWebUnlocker } from "./brightdata-web-unlocker.ts";
export { brightDataSearch } from "./brightdata-search.ts";
