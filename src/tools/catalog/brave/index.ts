export { braveImageSearch } from "./brave-image-search.ts";
export { braveLlmContext } from "./brave-llm-context.ts";
export { braveLocalPoisDescription } from "./brave-local-pois-description.ts";
export { braveLocalPois } from "./brave-local-pois.ts";
export { braveNewsSearch } from "./brave-news-search.ts";
export { braveSearch } from "./brave-search.ts";
export { braveVideoSearch } from "./brave-video-search.ts";
export { braveWebSearch } from "./brave-web-search.ts";
